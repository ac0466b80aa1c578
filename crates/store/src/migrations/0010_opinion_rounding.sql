-- How far the other tool's figures may be off. Until now it was sysbench, whose classes of latency
-- are 10^(8/1024) wide.
ALTER TABLE second_opinion ADD COLUMN rate_rounding REAL;
ALTER TABLE second_opinion ADD COLUMN percentile_rounding REAL;
UPDATE second_opinion SET rate_rounding = 1.0 / max(transactions, 1), percentile_rounding = 0.018
WHERE transactions IS NOT NULL;
