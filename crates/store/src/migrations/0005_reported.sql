CREATE TABLE reported (
    position INTEGER PRIMARY KEY REFERENCES trial,
    file TEXT NOT NULL,
    tool TEXT NOT NULL,
    latencies BLOB
) STRICT;

CREATE TABLE reported_figure (
    position INTEGER NOT NULL REFERENCES reported,
    number INTEGER NOT NULL,
    metric TEXT NOT NULL,
    value REAL,
    resolution REAL,
    text TEXT CHECK ((text IS NULL) <> (value IS NULL)),
    unit TEXT NOT NULL,
    note TEXT NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;
