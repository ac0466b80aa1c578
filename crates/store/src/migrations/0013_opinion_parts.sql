CREATE TABLE second_opinion_part (
    position INTEGER NOT NULL REFERENCES second_opinion,
    direction TEXT NOT NULL CHECK (direction IN ('read', 'write')),
    per_second REAL,
    latency_mean_ms REAL,
    latency_p99_ms REAL,
    PRIMARY KEY (position, direction)
) STRICT;
