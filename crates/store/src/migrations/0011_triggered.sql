CREATE TABLE triggered (
    position INTEGER PRIMARY KEY REFERENCES trial,
    work TEXT NOT NULL,
    sent_seconds REAL NOT NULL,
    answered_seconds REAL NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL
) STRICT;
