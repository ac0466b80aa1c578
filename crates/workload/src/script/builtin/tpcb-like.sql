-- A deposit or a withdrawal at a teller of a bank, as in TPC-B but not by its rules.
\set account random(1, 100000 * :scale)
\set teller random(1, 10 * :scale)
\set branch random(1, :scale)
\set amount random(-5000, 5000)
BEGIN;
-- name: change account
UPDATE pgbench_accounts SET abalance = abalance + :amount WHERE aid = :account;
-- name: read account
SELECT abalance FROM pgbench_accounts WHERE aid = :account;
-- name: change teller
UPDATE pgbench_tellers SET tbalance = tbalance + :amount WHERE tid = :teller;
-- name: change branch
UPDATE pgbench_branches SET bbalance = bbalance + :amount WHERE bid = :branch;
-- name: write history
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
  VALUES (:teller, :branch, :account, :amount, CURRENT_TIMESTAMP);
COMMIT;
