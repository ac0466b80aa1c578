-- Delivers the oldest order of each district that is not delivered yet. Each row is changed before it is read:
-- an order that came while this transaction waited is not in what it otherwise sees.
\set w random(1, :warehouses)
\set carrier random(1, 10)
BEGIN;
\set d 1
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 2
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 3
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 4
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 5
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 6
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 7
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 8
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 9
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
\set d 10
\set no_o_id 0
-- name: delivery: find new order
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1 FOR UPDATE \aset
\if :no_o_id > 0
-- name: delivery: remove new order
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :no_o_id;
-- name: delivery: change order
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id;
-- name: delivery: read order
SELECT o_c_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_id = :no_o_id \gset
-- name: delivery: change lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id;
-- name: delivery: sum lines
SELECT SUM(ol_amount) AS total FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :no_o_id \gset
-- name: delivery: change customer
UPDATE customer SET c_balance = c_balance + CAST(:total AS DECIMAL(14, 2)), c_delivery_cnt = c_delivery_cnt + 1
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :o_c_id;
\endif
COMMIT;
-- Keying and thinking, where `think_times` is above 0; 1 gives the times of the specification.
\set pause int(1000 * :think_times * (2 + least(50, -5 * ln(random(1, 1000000) / 1000000.0))))
\sleep :pause ms
