-- Searches under a limit of processor time, with or without a bound on latency.
CREATE TABLE new_search (
    position INTEGER PRIMARY KEY REFERENCES trial,
    over TEXT NOT NULL CHECK (over IN ('rate', 'clients')),
    figure TEXT,
    bound_ms REAL,
    inclusive INTEGER CHECK (inclusive IN (0, 1)),
    cpu_percent INTEGER,
    capacity REAL,
    kept REAL,
    missed REAL,
    CHECK ((figure IS NULL) = (bound_ms IS NULL) AND (figure IS NULL) = (inclusive IS NULL)),
    CHECK (figure IS NOT NULL OR cpu_percent IS NOT NULL)
) STRICT;
INSERT INTO new_search (position, over, figure, bound_ms, inclusive, capacity, kept, missed)
    SELECT position, over, figure, bound_ms, inclusive, capacity, kept, missed FROM search;
DROP TABLE search;
ALTER TABLE new_search RENAME TO search;

CREATE TABLE new_search_step (
    position INTEGER NOT NULL REFERENCES search,
    number INTEGER NOT NULL,
    load REAL NOT NULL,
    achieved REAL NOT NULL,
    figure_ms REAL,
    cpu_busy REAL,
    repeated INTEGER NOT NULL CHECK (repeated IN (0, 1)),
    verdict TEXT NOT NULL CHECK (verdict IN ('kept', 'missed', 'too_busy', 'fell_behind')),
    measured_ns INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;
INSERT INTO new_search_step (position, number, load, achieved, figure_ms, repeated, verdict, measured_ns)
    SELECT position, number, load, achieved, figure_ms, repeated, verdict, measured_ns
    FROM search_step;
DROP TABLE search_step;
ALTER TABLE new_search_step RENAME TO search_step;
