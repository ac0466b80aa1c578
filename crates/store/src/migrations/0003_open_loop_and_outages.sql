-- A level may be a rate: the table is made anew, since the rate belongs to its unique key.
DROP VIEW trial_summary;

CREATE TABLE planned_trial_with_rate (
    position INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    target TEXT NOT NULL,
    test TEXT NOT NULL,
    clients INTEGER NOT NULL,
    rate INTEGER,
    repeat INTEGER NOT NULL,
    seed TEXT NOT NULL,
    load_time_ns INTEGER NOT NULL
) STRICT;
INSERT INTO planned_trial_with_rate
    SELECT position, block, target, test, clients, NULL, repeat, seed, load_time_ns
    FROM planned_trial;
DROP TABLE planned_trial;
ALTER TABLE planned_trial_with_rate RENAME TO planned_trial;
CREATE UNIQUE INDEX planned_trial_key
    ON planned_trial (target, test, clients, coalesce(rate, 0), repeat);

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
    failure.message AS failure_message
FROM planned_trial
LEFT JOIN trial USING (position)
LEFT JOIN phase ON phase.position = trial.position AND phase.phase = 'measure'
LEFT JOIN failure ON failure.position = trial.position;

ALTER TABLE load ADD COLUMN io TEXT NOT NULL DEFAULT 'epoll';
ALTER TABLE load ADD COLUMN turnaround_seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE load ADD COLUMN noticed_replies INTEGER;
ALTER TABLE load ADD COLUMN notice_p50_ms REAL;
ALTER TABLE load ADD COLUMN notice_p99_ms REAL;
ALTER TABLE load ADD COLUMN notice_max_ms REAL;

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
