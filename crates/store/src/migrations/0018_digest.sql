-- Hashes of what was written: of the run with its plan, of each target and of each trial.
CREATE TABLE digest (
    subject TEXT NOT NULL CHECK (subject IN ('run', 'target', 'trial')),
    id INTEGER NOT NULL,
    tables TEXT NOT NULL,
    PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;
