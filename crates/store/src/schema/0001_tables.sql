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

-- A hash of what was written of each: of the run and of an extension with their parts of the plan.
CREATE TABLE digest (
    subject TEXT NOT NULL CHECK (subject IN ('run', 'extension', 'target', 'trial', 'note', 'instance')),
    id INTEGER NOT NULL,
    hash BLOB NOT NULL,
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
-- Finds what stands in the place of a trial that failed.
CREATE INDEX planned_later ON planned_trial (target, test, repeat) WHERE extension > 0;

CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;

-- What was noted while the run was going on.
CREATE TABLE note (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- Instances of provisioned targets: when each was brought up and taken down, and where it was.
CREATE TABLE instance (
    number INTEGER PRIMARY KEY,
    document TEXT NOT NULL
) STRICT;

-- What came of a trial, as JSON; what was recorded over its time is JSON compressed by zlib, of that
-- length before.
CREATE TABLE trial (
    position INTEGER PRIMARY KEY REFERENCES planned_trial,
    failure TEXT,
    document TEXT NOT NULL,
    recording BLOB,
    recording_bytes INTEGER,
    CHECK ((recording IS NULL) = (recording_bytes IS NULL))
) STRICT;

-- From here on views: parts of the documents as rows. Weighin reads none of them.

CREATE VIEW trial_summary AS
SELECT
    planned_trial.position,
    planned_trial.block,
    planned_trial.test,
    planned_trial.target,
    planned_trial.clients,
    planned_trial.rate,
    planned_trial.repeat,
    CASE
        WHEN trial.position IS NULL THEN 'not run'
        WHEN trial.failure IS NULL THEN 'completed'
        ELSE 'failed'
    END AS outcome,
    phase.transactions * 1e9 / phase.elapsed_ns AS transactions_per_second,
    phase.queries * 1e9 / phase.elapsed_ns AS queries_per_second,
    phase.errors,
    trial.failure AS failure_kind,
    trial.document ->> '$.end.failed.message' AS failure_message,
    -- Of a failed trial in whose place the plan has another: since when.
    CASE WHEN trial.failure IS NOT NULL THEN (
        SELECT extension.at_ms FROM planned_trial AS later
        JOIN extension ON extension.number = later.extension
        WHERE later.target = planned_trial.target AND later.test = planned_trial.test
            AND later.clients = planned_trial.clients
            AND coalesce(later.rate, 0) = coalesce(planned_trial.rate, 0)
            AND later.repeat = planned_trial.repeat
            AND later.extension > 0 AND later.extension > planned_trial.extension
        ORDER BY later.extension LIMIT 1
    ) END AS superseded_at_ms
FROM planned_trial
LEFT JOIN trial USING (position)
LEFT JOIN phase ON phase.position = trial.position AND phase.phase = 'measure';

CREATE VIEW variable AS
SELECT
    target.id AS target_id,
    each.key AS name,
    each.value,
    each.key IN (SELECT value FROM json_each(target.document, '$.server.incidental')) AS incidental
FROM target, json_each(target.document, '$.server.variables') AS each;

CREATE VIEW load AS
SELECT
    position,
    load ->> '$.clients' AS clients,
    load ->> '$.began_at' AS began_at_ms,
    load ->> '$.ledger.scheduled' AS scheduled,
    load ->> '$.ledger.ok' AS ok,
    load ->> '$.ledger.failed' AS failed,
    load ->> '$.ledger.timed_out' AS timed_out,
    load ->> '$.ledger.dropped' AS dropped,
    load ->> '$.client.workers' AS workers,
    load ->> '$.client.cpu_seconds' AS cpu_seconds,
    load ->> '$.client.busiest_worker' AS busiest_worker,
    load ->> '$.client.peak_rss_bytes' AS peak_rss_bytes,
    load ->> '$.client.io' AS io,
    load ->> '$.latencies' AS latencies,
    load ->> '$.waits' AS waits
FROM (SELECT position, document -> '$.end.completed.load' AS load FROM trial)
WHERE load IS NOT NULL;

CREATE VIEW phase AS
SELECT
    trial.position,
    each.key AS phase,
    (each.value ->> '$.elapsed.secs') * 1000000000 + (each.value ->> '$.elapsed.nanos') AS elapsed_ns,
    each.value ->> '$.transactions' AS transactions,
    each.value ->> '$.queries' AS queries,
    each.value ->> '$.errors' AS errors,
    each.value ->> '$.moved.read' AS bytes_read,
    each.value ->> '$.moved.written' AS bytes_written
FROM trial, json_each(trial.document, '$.end.completed.load') AS each
WHERE each.key IN ('warmup', 'measure', 'drain');

CREATE VIEW request AS
SELECT
    trial.position,
    each.key AS number,
    each.value ->> '$.name' AS name,
    each.value ->> '$.effect' AS effect,
    each.value ->> '$.counter' AS counter,
    each.value ->> '$.count' AS count
FROM trial, json_each(trial.document, '$.end.completed.load.requests.kinds') AS each;

CREATE VIEW error AS
SELECT
    trial.position,
    each.key AS number,
    each.value ->> '$.class' AS class,
    each.value ->> '$.code' AS code,
    each.value ->> '$.sql_state' AS sql_state,
    each.value ->> '$.message' AS message,
    each.value ->> '$.count' AS count,
    each.value ->> '$.remedy' AS remedy
FROM trial, json_each(trial.document, '$.end.completed.load.errors') AS each;

CREATE VIEW figure AS
SELECT
    trial.position,
    each.key AS number,
    each.value ->> '$.metric' AS metric,
    each.value ->> '$.value.value' AS value,
    each.value ->> '$.value.resolution' AS resolution,
    CASE json_type(each.value, '$.value') WHEN 'text' THEN each.value ->> '$.value' END AS text,
    each.value ->> '$.unit' AS unit,
    each.value ->> '$.printed.line' AS line,
    each.value ->> '$.printed.note' AS note
FROM trial, json_each(trial.document, '$.end.completed.figures') AS each;

CREATE VIEW mark AS
SELECT
    trial.position,
    each.key AS number,
    each.value ->> '$.name' AS name,
    each.value ->> '$.at_seconds' AS at_seconds,
    each.value ->> '$.until_seconds' AS until_seconds,
    each.value ->> '$.result' AS result,
    each.value ->> '$.work' AS work,
    each.value ->> '$.note' AS note
FROM trial, json_each(trial.document, '$.end.completed.marks') AS each;

CREATE VIEW search_step AS
SELECT
    trial.position,
    each.key AS number,
    each.value ->> '$.load' AS load,
    each.value ->> '$.achieved' AS achieved,
    each.value ->> '$.figure_ms' AS figure_ms,
    each.value ->> '$.cpu_busy' AS cpu_busy,
    each.value ->> '$.lag_ms' AS lag_ms,
    each.value ->> '$.repeated' AS repeated,
    each.value ->> '$.verdict' AS verdict
FROM trial, json_each(trial.document, '$.search.steps') AS each;

-- What follows needs the function sqlar_uncompress, which the program sqlite3 has.

CREATE VIEW recording AS
SELECT position, document, sqlar_uncompress(recording, recording_bytes) AS json
FROM trial
WHERE recording IS NOT NULL;

CREATE VIEW interval AS
SELECT
    recording.position,
    each.key AS number,
    each.value ->> '$.phase' AS phase,
    (each.value ->> '$.start.secs') * 1000000000 + (each.value ->> '$.start.nanos') AS start_ns,
    (each.value ->> '$.length.secs') * 1000000000 + (each.value ->> '$.length.nanos') AS length_ns,
    each.value ->> '$.transactions' AS transactions,
    each.value ->> '$.queries' AS queries,
    each.value ->> '$.errors' AS errors,
    each.value ->> '$.moved.read' AS bytes_read,
    each.value ->> '$.moved.written' AS bytes_written,
    each.value ->> '$.latencies' AS latencies
FROM recording, json_each(recording.json, '$.intervals') AS each;

CREATE VIEW sample AS
SELECT
    recording.position,
    -- Where the target has no machine of its own, the number 1 is left out.
    machine.key + (machine.key > 0 AND document ->> '$.sampling.target_host' IS NULL) AS machine,
    each.key AS number,
    each.value ->> '$.at_seconds' AS at_seconds,
    (each.value ->> '$.length.secs') * 1000000000 + (each.value ->> '$.length.nanos') AS length_ns,
    each.value ->> '$.cpu.user' AS cpu_user,
    each.value ->> '$.cpu.system' AS cpu_system,
    each.value ->> '$.cpu.iowait' AS cpu_iowait,
    each.value ->> '$.cpu.steal' AS cpu_steal,
    each.value ->> '$.cpu.idle' AS cpu_idle,
    each.value ->> '$.server.cpus' AS server_cpus,
    each.value ->> '$.server.rss_bytes' AS server_rss_bytes,
    each.value ->> '$.replicas.cpus' AS replica_cpus,
    each.value ->> '$.replicas.rss_bytes' AS replica_rss_bytes,
    each.value ->> '$.client.cpus' AS client_cpus,
    each.value ->> '$.client.rss_bytes' AS client_rss_bytes,
    each.value -> '$.disks' AS disks,
    each.value -> '$.counters' AS counters
FROM recording, json_each(recording.json, '$.samples') AS machine, json_each(machine.value) AS each;

CREATE VIEW disk_sample AS
SELECT
    sample.position,
    sample.machine,
    sample.number AS sample,
    each.value ->> '$.device' AS device,
    each.value ->> '$.reads' AS reads,
    each.value ->> '$.writes' AS writes,
    each.value ->> '$.flushes' AS flushes,
    each.value ->> '$.read_bytes' AS read_bytes,
    each.value ->> '$.written_bytes' AS written_bytes,
    each.value ->> '$.read_await_ms' AS read_await_ms,
    each.value ->> '$.write_await_ms' AS write_await_ms,
    each.value ->> '$.flush_await_ms' AS flush_await_ms,
    each.value ->> '$.queue' AS queue,
    each.value ->> '$.utilisation' AS utilisation
FROM sample, json_each(sample.disks) AS each;

CREATE VIEW counter AS
SELECT position, moment.key AS moment, NULL AS sample, each.key AS name, each.value
FROM recording, json_each(recording.json) AS moment, json_each(moment.value, '$.counters') AS each
WHERE moment.key IN ('before', 'after')
UNION ALL
SELECT position, 'sample', number, each.key, each.value
FROM sample, json_each(sample.counters) AS each;

CREATE VIEW series_value AS
SELECT
    recording.position,
    series.key AS number,
    series.value ->> '$.name' AS name,
    series.value ->> '$.unit' AS unit,
    each.key AS step,
    (series.value ->> '$.from_seconds') + each.key * (series.value ->> '$.step_seconds') AS at_seconds,
    each.value
FROM recording, json_each(recording.json, '$.series') AS series,
    json_each(series.value, '$.values') AS each;
