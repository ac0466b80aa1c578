-- The last order of a customer, who is found by last name in 60 of 100 cases.
\set w random(1, :warehouses)
\set d random(1, 10)
\set c 1 + ((random(0, 1023) | random(1, :customers)) + :customer_shift) % :customers
\set by_name random(1, 100) <= 60
\values last[1 + ((random(0, 255) | random(0, :last_rows - 1)) + :name_shift) % :last_rows] = SELECT c_last \
  FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= 1000 ORDER BY c_id
BEGIN;
\if :by_name
-- name: order_status: count namesakes
SELECT COUNT(*) AS namesakes FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_last = :last \gset
\set middle (:namesakes - 1) / 2
-- name: order_status: find by name
SELECT c_id AS c FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_last = :last
  ORDER BY c_first, c_id LIMIT 1 OFFSET :middle \gset
\endif
-- name: order_status: read customer
SELECT c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
-- name: order_status: read order
SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c
  ORDER BY o_id DESC LIMIT 1 \gset
-- name: order_status: read lines
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
  WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o_id ORDER BY ol_number;
COMMIT;
-- Keying and thinking, where `think_times` is above 0; 1 gives the times of the specification.
\set pause int(1000 * :think_times * (2 + least(100, -10 * ln(random(1, 1000000) / 1000000.0))))
\sleep :pause ms
