-- The tables of pgbench: branches of a bank, their tellers, accounts, and what is done to these.

CREATE TABLE pgbench_branches (
    bid INT NOT NULL PRIMARY KEY,
    bbalance INT NOT NULL,
    filler CHAR(88)
);

CREATE TABLE pgbench_tellers (
    tid INT NOT NULL PRIMARY KEY,
    bid INT NOT NULL,
    tbalance INT NOT NULL,
    filler CHAR(84)
);

CREATE TABLE pgbench_accounts (
    aid INT NOT NULL PRIMARY KEY,
    bid INT NOT NULL,
    abalance INT NOT NULL,
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
