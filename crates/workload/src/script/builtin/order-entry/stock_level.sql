-- How many items of a district's last 20 orders are running out.
\set w random(1, :warehouses)
\set d random(1, 10)
\set threshold random(10, 20)
BEGIN;
-- name: stock_level: read district
SELECT d_next_o_id AS next, d_next_o_id - 20 AS since FROM district WHERE d_w_id = :w AND d_id = :d \gset
-- name: stock_level: count items
SELECT COUNT(DISTINCT s_i_id) AS low FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
  WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :since AND ol_o_id < :next AND s_quantity < :threshold;
COMMIT;
-- Keying and thinking, where `think_times` is above 0; 1 gives the times of the specification.
\set pause int(1000 * :think_times * (2 + least(50, -5 * ln(random(1, 1000000) / 1000000.0))))
\sleep :pause ms
