CREATE TABLE generator (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
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
