ALTER TABLE load ADD COLUMN reads INTEGER NOT NULL DEFAULT 0;
ALTER TABLE load ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE load ADD COLUMN syncs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE load ADD COLUMN bytes_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE load ADD COLUMN bytes_written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE phase ADD COLUMN bytes_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE phase ADD COLUMN bytes_written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE interval ADD COLUMN bytes_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE interval ADD COLUMN bytes_written INTEGER NOT NULL DEFAULT 0;

CREATE TABLE statement_latencies (
    position INTEGER NOT NULL REFERENCES load,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    latencies BLOB NOT NULL,
    PRIMARY KEY (position, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE fleet (
    position INTEGER PRIMARY KEY REFERENCES load,
    in_flight INTEGER NOT NULL,
    held_seconds REAL NOT NULL,
    verified_units INTEGER,
    unknown_units INTEGER,
    CHECK ((verified_units IS NULL) = (unknown_units IS NULL))
) STRICT;

CREATE TABLE volume_account (
    position INTEGER NOT NULL REFERENCES fleet,
    volume INTEGER NOT NULL,
    vms INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    read_latencies BLOB NOT NULL,
    bytes_written INTEGER NOT NULL,
    write_latencies BLOB NOT NULL,
    PRIMARY KEY (position, volume)
) STRICT, WITHOUT ROWID;

CREATE TABLE vm_account (
    position INTEGER NOT NULL REFERENCES fleet,
    vm INTEGER NOT NULL,
    volume INTEGER NOT NULL,
    reads INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    read_mean_ms REAL,
    read_p99_ms REAL,
    read_max_ms REAL,
    writes INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    write_mean_ms REAL,
    write_p99_ms REAL,
    write_max_ms REAL,
    PRIMARY KEY (position, vm)
) STRICT, WITHOUT ROWID;
