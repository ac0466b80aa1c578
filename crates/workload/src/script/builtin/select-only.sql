-- Reads one account.
\set account random(1, 100000 * :scale)
-- name: read account
SELECT abalance FROM pgbench_accounts WHERE aid = :account;
