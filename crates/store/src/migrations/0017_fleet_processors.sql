-- The processors that the virtual machines of a load on storage had among them.
CREATE TABLE fleet_processors (
    position INTEGER PRIMARY KEY REFERENCES fleet,
    count REAL NOT NULL,
    busy REAL NOT NULL,
    periods INTEGER NOT NULL,
    throttled INTEGER NOT NULL,
    held_back_seconds REAL NOT NULL,
    period_ns INTEGER NOT NULL
) STRICT;

-- Whether a limit of processor time is of those.
ALTER TABLE search ADD COLUMN cpu_of_vms INTEGER NOT NULL DEFAULT 0 CHECK (cpu_of_vms IN (0, 1));
