CREATE TABLE second_opinion (
    position INTEGER PRIMARY KEY REFERENCES trial,
    tool TEXT NOT NULL,
    turn TEXT NOT NULL CHECK (turn IN ('before', 'after')),
    transactions INTEGER,
    queries INTEGER,
    errors INTEGER,
    elapsed_ns INTEGER,
    transactions_per_second REAL,
    latency_mean_ms REAL,
    latency_p95_ms REAL,
    cpu_seconds REAL,
    peak_rss_bytes INTEGER,
    failure_kind TEXT,
    failure_message TEXT,
    failure_remedy TEXT,
    CHECK ((transactions IS NULL) = (failure_kind IS NOT NULL))
) STRICT;
