CREATE TABLE host_account (
    position INTEGER PRIMARY KEY REFERENCES trial,
    server_read_bytes INTEGER,
    server_periods INTEGER,
    server_throttled INTEGER,
    client_periods INTEGER,
    client_throttled INTEGER,
    thermal_events INTEGER
) STRICT;

CREATE TABLE answers (
    position INTEGER PRIMARY KEY REFERENCES trial,
    checked INTEGER NOT NULL,
    short INTEGER NOT NULL
) STRICT;

ALTER TABLE target ADD COLUMN rows INTEGER;
ALTER TABLE target ADD COLUMN checksum TEXT;
ALTER TABLE target ADD COLUMN rows_after INTEGER;
ALTER TABLE target ADD COLUMN checksum_after TEXT;
