-- The tables of pgbench: branches of a bank, their tellers, what is done to accounts, and these. The accounts are
-- the last one, so that partitions can follow.

CREATE TABLE pgbench_branches (
    bid INT NOT NULL PRIMARY KEY,
    bbalance INT,
    filler CHAR(88)
);

CREATE TABLE pgbench_tellers (
    tid INT NOT NULL PRIMARY KEY,
    bid INT,
    tbalance INT,
    filler CHAR(84)
);

CREATE TABLE pgbench_history (
    tid INT,
    bid INT,
    aid INT,
    delta INT,
    mtime TIMESTAMP NULL,
    filler CHAR(22)
);

CREATE TABLE pgbench_accounts (
    aid INT NOT NULL PRIMARY KEY,
    bid INT,
    abalance INT,
    filler CHAR(84)
);
