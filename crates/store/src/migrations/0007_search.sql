-- What is searched for in place of a level; NULL where the level is given.
ALTER TABLE planned_trial ADD COLUMN search TEXT CHECK (search IN ('rate', 'clients'));

CREATE TABLE search (
    position INTEGER PRIMARY KEY REFERENCES trial,
    over TEXT NOT NULL CHECK (over IN ('rate', 'clients')),
    figure TEXT NOT NULL,
    bound_ms REAL NOT NULL,
    inclusive INTEGER NOT NULL CHECK (inclusive IN (0, 1)),
    capacity REAL,
    kept REAL,
    missed REAL
) STRICT;

CREATE TABLE search_step (
    position INTEGER NOT NULL REFERENCES search,
    number INTEGER NOT NULL,
    load REAL NOT NULL,
    achieved REAL NOT NULL,
    figure_ms REAL,
    repeated INTEGER NOT NULL CHECK (repeated IN (0, 1)),
    verdict TEXT NOT NULL CHECK (verdict IN ('kept', 'missed', 'fell_behind')),
    measured_ns INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;
