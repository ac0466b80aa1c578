ALTER TABLE disk_sample ADD COLUMN flush_await_ms REAL;
ALTER TABLE disk_sample ADD COLUMN discards REAL DEFAULT 0;
ALTER TABLE disk_sample ADD COLUMN discarded_bytes REAL DEFAULT 0;
ALTER TABLE disk_sample ADD COLUMN discards_merged REAL DEFAULT 0;
ALTER TABLE disk_sample ADD COLUMN discard_await_ms REAL;

-- The disks that the server's data directory stands on.
CREATE TABLE volume_device (
    position INTEGER NOT NULL REFERENCES trial,
    number INTEGER NOT NULL,
    device TEXT NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;
