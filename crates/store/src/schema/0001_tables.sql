-- The run itself, its plan and its targets.

CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    started_at_ms INTEGER NOT NULL,
    weighin_version TEXT NOT NULL,
    scale REAL NOT NULL,
    study_file TEXT NOT NULL,
    study_json TEXT NOT NULL,
    host_json TEXT NOT NULL,
    plan_seed TEXT NOT NULL
) STRICT;

-- Hashes of what was written: of the run with its plan, of each target, trial and note.
CREATE TABLE digest (
    subject TEXT NOT NULL CHECK (subject IN ('run', 'extension', 'target', 'trial', 'note', 'instance')),
    id INTEGER NOT NULL,
    tables TEXT NOT NULL,
    PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;

-- What was added to the run after it had begun, and the study where that has changed.
CREATE TABLE extension (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    weighin_version TEXT NOT NULL,
    host_json TEXT NOT NULL,
    changes TEXT NOT NULL,
    study_file TEXT,
    study_json TEXT,
    merged_from TEXT,
    CHECK ((study_file IS NULL) = (study_json IS NULL))
) STRICT;

CREATE TABLE planned_trial (
    position INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    extension INTEGER NOT NULL,
    target TEXT NOT NULL,
    test TEXT NOT NULL,
    clients INTEGER NOT NULL,
    unit TEXT NOT NULL CHECK (unit IN ('clients', 'queue_depth')),
    rate INTEGER,
    search TEXT CHECK (search IN ('rate', 'clients')),
    repeat INTEGER NOT NULL,
    seed TEXT NOT NULL,
    load_time_ns INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX planned_trial_key
    ON planned_trial (target, test, clients, coalesce(rate, 0), repeat, extension);

CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    version TEXT NOT NULL,
    host_json TEXT,
    program TEXT,
    dataset_bytes INTEGER,
    cache_bytes INTEGER,
    prepare_seconds REAL,
    rows INTEGER,
    checksum TEXT,
    rows_after INTEGER,
    checksum_after TEXT
) STRICT;

CREATE TABLE variable (
    target_id INTEGER NOT NULL REFERENCES target ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    incidental INTEGER NOT NULL CHECK (incidental IN (0, 1)),
    PRIMARY KEY (target_id, name)
) STRICT, WITHOUT ROWID;

-- What was noted while the run was going on.
CREATE TABLE note (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- Instances of targets that come and go: when each was brought up and taken down, and where it was.
CREATE TABLE instance (
    number INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    first_position INTEGER NOT NULL,
    began_at_ms INTEGER NOT NULL,
    up_at_ms INTEGER,
    down_at_ms INTEGER,
    endpoint TEXT,
    ssh TEXT,
    labels TEXT NOT NULL,
    trouble TEXT
) STRICT;

-- What came of the trials.

CREATE TABLE trial (
    position INTEGER PRIMARY KEY REFERENCES planned_trial,
    started_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER NOT NULL,
    clock_jump_ms INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed')),
    side_by_side TEXT,
    began_at_ms INTEGER,
    CHECK ((side_by_side IS NULL) = (began_at_ms IS NULL))
) STRICT;

CREATE TABLE failure (
    position INTEGER PRIMARY KEY REFERENCES trial,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    remedy TEXT NOT NULL
) STRICT;

-- Where results come from that weighin did not measure.
CREATE TABLE source (
    position INTEGER PRIMARY KEY REFERENCES trial,
    file TEXT NOT NULL,
    tool TEXT NOT NULL
) STRICT;

-- What a task measured besides a load, and what sources print.
CREATE TABLE figure (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    metric TEXT NOT NULL,
    value REAL,
    resolution REAL,
    text TEXT CHECK ((text IS NULL) <> (value IS NULL)),
    unit TEXT NOT NULL,
    line INTEGER,
    note TEXT CHECK ((note IS NULL) = (line IS NULL)),
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE printed_latencies (
    position INTEGER PRIMARY KEY REFERENCES source,
    latencies BLOB NOT NULL
) STRICT;

-- Moments and spans on the time line of a trial.
CREATE TABLE mark (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    at_seconds REAL NOT NULL,
    until_seconds REAL,
    result TEXT,
    work TEXT,
    note TEXT,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

-- What a task measured at equal steps of a trial.
CREATE TABLE series (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    from_seconds REAL NOT NULL,
    step_seconds REAL NOT NULL CHECK (step_seconds > 0),
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE series_value (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    step INTEGER NOT NULL,
    value REAL,
    PRIMARY KEY (position, number, step),
    FOREIGN KEY (position, number) REFERENCES series
) STRICT, WITHOUT ROWID;

-- The recording of a load.

CREATE TABLE load (
    position INTEGER PRIMARY KEY REFERENCES trial,
    clients INTEGER NOT NULL,
    began_at_ms INTEGER,
    connect_time_ns INTEGER NOT NULL,
    scheduled INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    timed_out INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    workers INTEGER NOT NULL,
    cpus_allowed INTEGER NOT NULL,
    cpu_seconds REAL,
    busiest_worker REAL,
    peak_rss_bytes INTEGER NOT NULL,
    max_loop_lag_ns INTEGER NOT NULL,
    io TEXT NOT NULL,
    client_delay_seconds REAL NOT NULL,
    stamped_replies INTEGER,
    receive_delay_p50_ms REAL,
    receive_delay_p99_ms REAL,
    receive_delay_max_ms REAL,
    latencies BLOB NOT NULL,
    waits BLOB NOT NULL,
    idle_losses INTEGER NOT NULL
) STRICT;

-- Requests that the target acknowledged over all phases, by kind. Its own counter of that name
-- must have grown by as many.
CREATE TABLE request (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    effect TEXT NOT NULL CHECK (effect IN ('read', 'write', 'control')),
    counter TEXT,
    count INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

-- What else was counted over all phases, by name.
CREATE TABLE load_count (
    position INTEGER NOT NULL REFERENCES load,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (position, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE phase (
    position INTEGER NOT NULL REFERENCES load,
    phase TEXT NOT NULL CHECK (phase IN ('warmup', 'measure', 'drain')),
    elapsed_ns INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    queries INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    PRIMARY KEY (position, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE interval (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    phase TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    queries INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    longest_statement_ns INTEGER,
    latencies BLOB NOT NULL,
    UNIQUE (position, number)
) STRICT;

CREATE TABLE error (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    class TEXT NOT NULL,
    code TEXT NOT NULL,
    sql_state TEXT NOT NULL,
    message TEXT NOT NULL,
    count INTEGER NOT NULL,
    remedy TEXT NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE open_loop (
    position INTEGER PRIMARY KEY REFERENCES load,
    rate REAL NOT NULL,
    process TEXT NOT NULL,
    scheduled INTEGER NOT NULL,
    answered INTEGER NOT NULL,
    service_times BLOB NOT NULL,
    schedule_lags BLOB NOT NULL,
    max_waiting INTEGER NOT NULL,
    most_waiting INTEGER NOT NULL
) STRICT;

CREATE TABLE outage (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    first_error_ns INTEGER NOT NULL,
    first_success_ns INTEGER,
    recovered_ns INTEGER,
    failed INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE statement_latencies (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    latencies BLOB NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE generator (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    host TEXT,
    clients INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    queries INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    latencies BLOB NOT NULL,
    cpu_seconds REAL,
    peak_rss_bytes INTEGER NOT NULL,
    begun_late_ns INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT;

CREATE TABLE fleet (
    position INTEGER PRIMARY KEY REFERENCES load,
    queue_depth INTEGER NOT NULL,
    blocked_seconds REAL NOT NULL,
    verified_units INTEGER,
    unknown_units INTEGER,
    CHECK ((verified_units IS NULL) = (unknown_units IS NULL))
) STRICT;

-- The processors that the virtual machines of a load on storage shared.
CREATE TABLE fleet_processors (
    position INTEGER PRIMARY KEY REFERENCES fleet,
    count REAL NOT NULL,
    busy REAL NOT NULL,
    periods INTEGER NOT NULL,
    throttled INTEGER NOT NULL,
    throttled_seconds REAL NOT NULL,
    period_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE volume_account (
    position INTEGER NOT NULL REFERENCES fleet,
    volume INTEGER NOT NULL,
    vms INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    read_latencies BLOB NOT NULL,
    bytes_written INTEGER NOT NULL,
    write_latencies BLOB NOT NULL,
    PRIMARY KEY (position, volume)
) STRICT, WITHOUT ROWID;

CREATE TABLE vm_account (
    position INTEGER NOT NULL REFERENCES fleet,
    vm INTEGER NOT NULL,
    volume INTEGER NOT NULL,
    reads INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    read_mean_ms REAL,
    read_p99_ms REAL,
    read_max_ms REAL,
    writes INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    write_mean_ms REAL,
    write_p99_ms REAL,
    write_max_ms REAL,
    PRIMARY KEY (position, vm)
) STRICT, WITHOUT ROWID;

-- Searches for the highest load under a bound.

CREATE TABLE search (
    position INTEGER PRIMARY KEY REFERENCES trial,
    over TEXT NOT NULL CHECK (over IN ('rate', 'clients')),
    figure TEXT,
    bound_ms REAL,
    inclusive INTEGER CHECK (inclusive IN (0, 1)),
    cpu_percent INTEGER,
    cpu_of_vms INTEGER NOT NULL CHECK (cpu_of_vms IN (0, 1)),
    replica_lag_ms INTEGER,
    capacity REAL,
    met REAL,
    missed REAL,
    CHECK ((figure IS NULL) = (bound_ms IS NULL) AND (figure IS NULL) = (inclusive IS NULL)),
    CHECK (figure IS NOT NULL OR cpu_percent IS NOT NULL OR replica_lag_ms IS NOT NULL)
) STRICT;

CREATE TABLE search_step (
    position INTEGER NOT NULL REFERENCES search,
    number INTEGER NOT NULL,
    load REAL NOT NULL,
    achieved REAL NOT NULL,
    figure_ms REAL,
    cpu_busy REAL,
    cpu_others REAL,
    lag_ms REAL,
    repeated INTEGER NOT NULL CHECK (repeated IN (0, 1)),
    verdict TEXT NOT NULL CHECK (verdict IN ('met', 'missed', 'too_busy', 'disturbed', 'lagging', 'fell_behind')),
    measured_ns INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

-- The same measured by another tool.

CREATE TABLE cross_check (
    position INTEGER PRIMARY KEY REFERENCES trial,
    tool TEXT NOT NULL,
    tool_ran TEXT NOT NULL CHECK (tool_ran IN ('before', 'after')),
    transactions INTEGER,
    queries INTEGER,
    errors INTEGER,
    elapsed_ns INTEGER,
    transactions_per_second REAL,
    latency_mean_ms REAL,
    latency_p95_ms REAL,
    cpu_seconds REAL,
    peak_rss_bytes INTEGER,
    rate_rounding REAL,
    percentile_rounding REAL,
    failure_kind TEXT,
    failure_message TEXT,
    failure_remedy TEXT,
    CHECK ((transactions IS NULL) = (failure_kind IS NOT NULL))
) STRICT;

CREATE TABLE cross_check_part (
    position INTEGER NOT NULL REFERENCES cross_check,
    direction TEXT NOT NULL CHECK (direction IN ('read', 'write')),
    per_second REAL,
    latency_mean_ms REAL,
    latency_p99_ms REAL,
    PRIMARY KEY (position, direction)
) STRICT;

-- What was sampled and counted beside a trial.

CREATE TABLE host_account (
    position INTEGER PRIMARY KEY REFERENCES trial,
    server_read_bytes INTEGER,
    server_periods INTEGER,
    server_throttled INTEGER,
    client_periods INTEGER,
    client_throttled INTEGER,
    thermal_events INTEGER,
    processor_use_json TEXT NOT NULL
) STRICT;

-- Other machines than the one that weighin ran on: number 1 is that of the target, from 2 on those that
-- made the load. The clock before and after the load, and heat.
CREATE TABLE other_host (
    position INTEGER NOT NULL REFERENCES trial,
    machine INTEGER NOT NULL CHECK (machine > 0),
    host TEXT NOT NULL,
    host_json TEXT,
    thermal_events INTEGER,
    processor_use_json TEXT NOT NULL,
    clock_ahead_before_seconds REAL NOT NULL,
    clock_uncertainty_before_seconds REAL NOT NULL,
    clock_ahead_after_seconds REAL NOT NULL,
    clock_uncertainty_after_seconds REAL NOT NULL,
    PRIMARY KEY (position, machine)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
    position INTEGER NOT NULL REFERENCES trial,
    machine INTEGER NOT NULL CHECK (machine >= 0),
    number INTEGER NOT NULL,
    at_seconds REAL,
    length_ns INTEGER NOT NULL,
    cpu_user REAL,
    cpu_system REAL,
    cpu_iowait REAL,
    cpu_steal REAL,
    cpu_idle REAL,
    server_cpus REAL,
    server_rss_bytes INTEGER,
    replica_cpus REAL,
    replica_rss_bytes INTEGER,
    client_cpus REAL,
    client_rss_bytes INTEGER NOT NULL,
    PRIMARY KEY (position, machine, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE disk_sample (
    position INTEGER NOT NULL,
    machine INTEGER NOT NULL,
    sample INTEGER NOT NULL,
    number INTEGER NOT NULL,
    device TEXT NOT NULL,
    reads REAL,
    writes REAL,
    read_bytes REAL,
    written_bytes REAL,
    reads_merged REAL,
    writes_merged REAL,
    read_await_ms REAL,
    write_await_ms REAL,
    flushes REAL,
    flush_await_ms REAL,
    discards REAL,
    discarded_bytes REAL,
    discards_merged REAL,
    discard_await_ms REAL,
    queue REAL,
    utilisation REAL,
    PRIMARY KEY (position, machine, sample, number),
    FOREIGN KEY (position, machine, sample)
        REFERENCES sample (position, machine, number)
) STRICT, WITHOUT ROWID;

-- The disks that the server's data directory stands on, or volumes do: of machine 0 (the target's own,
-- whichever that is), or of those that make the load on volumes of theirs, as in other_host.
CREATE TABLE volume_device (
    position INTEGER NOT NULL REFERENCES trial,
    machine INTEGER NOT NULL,
    number INTEGER NOT NULL,
    device TEXT NOT NULL,
    PRIMARY KEY (position, machine, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter_reading (
    id INTEGER PRIMARY KEY,
    position INTEGER NOT NULL REFERENCES trial,
    moment TEXT NOT NULL CHECK (moment IN ('before', 'sample', 'after')),
    sample INTEGER CHECK ((sample IS NOT NULL) = (moment = 'sample')),
    at_seconds REAL,
    UNIQUE (position, moment, sample)
) STRICT;

CREATE TABLE counter_name (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE counter (
    reading_id INTEGER NOT NULL REFERENCES counter_reading,
    name_id INTEGER NOT NULL REFERENCES counter_name,
    value INTEGER NOT NULL,
    PRIMARY KEY (reading_id, name_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW trial_summary AS
SELECT
    planned_trial.position,
    planned_trial.block,
    planned_trial.test,
    planned_trial.target,
    planned_trial.clients,
    planned_trial.rate,
    planned_trial.repeat,
    coalesce(trial.outcome, 'not run') AS outcome,
    phase.transactions * 1e9 / phase.elapsed_ns AS transactions_per_second,
    phase.queries * 1e9 / phase.elapsed_ns AS queries_per_second,
    phase.errors,
    failure.kind AS failure_kind,
    failure.message AS failure_message,
    -- Of a failed trial in whose place the plan has another: since when.
    (
        SELECT extension.at_ms FROM planned_trial AS later
        JOIN extension ON extension.number = later.extension
        WHERE later.target = planned_trial.target AND later.test = planned_trial.test
            AND later.clients = planned_trial.clients
            AND coalesce(later.rate, 0) = coalesce(planned_trial.rate, 0)
            AND later.repeat = planned_trial.repeat
            AND later.extension > planned_trial.extension
        ORDER BY later.extension LIMIT 1
    ) AS superseded_at_ms
FROM planned_trial
LEFT JOIN trial USING (position)
LEFT JOIN phase ON phase.position = trial.position AND phase.phase = 'measure'
LEFT JOIN failure ON failure.position = trial.position;
