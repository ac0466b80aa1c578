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

CREATE TABLE planned_trial (
    position INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    target TEXT NOT NULL,
    test TEXT NOT NULL,
    clients INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    seed TEXT NOT NULL,
    load_time_ns INTEGER NOT NULL,
    UNIQUE (target, test, clients, repeat)
) STRICT;

CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    version TEXT NOT NULL,
    dataset_bytes INTEGER,
    prepare_seconds REAL
) STRICT;

CREATE TABLE variable (
    target_id INTEGER NOT NULL REFERENCES target ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (target_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial (
    position INTEGER PRIMARY KEY REFERENCES planned_trial,
    started_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed'))
) STRICT;

CREATE TABLE failure (
    position INTEGER PRIMARY KEY REFERENCES trial,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    remedy TEXT NOT NULL
) STRICT;

CREATE TABLE load (
    position INTEGER PRIMARY KEY REFERENCES trial,
    clients INTEGER NOT NULL,
    connect_time_ns INTEGER NOT NULL,
    scheduled INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    timed_out INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    com_select INTEGER NOT NULL,
    com_insert INTEGER NOT NULL,
    com_update INTEGER NOT NULL,
    com_delete INTEGER NOT NULL,
    com_begin INTEGER NOT NULL,
    com_commit INTEGER NOT NULL,
    com_rollback INTEGER NOT NULL,
    workers INTEGER NOT NULL,
    cpus_allowed INTEGER NOT NULL,
    cpu_seconds REAL,
    busiest_worker REAL,
    peak_rss_bytes INTEGER NOT NULL,
    max_loop_lag_ns INTEGER NOT NULL,
    latencies BLOB NOT NULL
) STRICT;

CREATE TABLE phase (
    position INTEGER NOT NULL REFERENCES trial,
    phase TEXT NOT NULL CHECK (phase IN ('warmup', 'measure', 'drain')),
    elapsed_ns INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    queries INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    PRIMARY KEY (position, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE interval (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    phase TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    queries INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    latencies BLOB NOT NULL,
    UNIQUE (position, number)
) STRICT;

CREATE TABLE error (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    class TEXT NOT NULL,
    code INTEGER NOT NULL,
    sql_state TEXT NOT NULL,
    message TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
    position INTEGER NOT NULL REFERENCES trial,
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
    client_cpus REAL,
    client_rss_bytes INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE disk_sample (
    position INTEGER NOT NULL,
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
    queue REAL,
    utilisation REAL,
    PRIMARY KEY (position, sample, number),
    FOREIGN KEY (position, sample) REFERENCES sample (position, number)
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
