-- A customer pays; 60 of 100 are found by their last name, and 15 pay at another warehouse, where there is
-- one.
\set w random(1, :warehouses)
\set d random(1, 10)
\set away :warehouses > 1 and random(1, 100) <= 15
\set c_w case when :away then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set c_d case when :away then random(1, 10) else :d end
\set c 1 + ((random(0, 1023) | random(1, :customers)) + :customer_shift) % :customers
\set by_name random(1, 100) <= 60
\set cents random(100, 500000)
\values last[1 + ((random(0, 255) | random(0, :last_rows - 1)) + :name_shift) % :last_rows] = SELECT c_last \
  FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= 1000 ORDER BY c_id
BEGIN;
-- name: payment: change warehouse
UPDATE warehouse SET w_ytd = w_ytd + :cents * 0.01 WHERE w_id = :w;
-- name: payment: change district
UPDATE district SET d_ytd = d_ytd + :cents * 0.01 WHERE d_w_id = :w AND d_id = :d;
-- name: payment: read addresses
SELECT w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip,
    CONCAT(w_name, '    ', d_name) AS place
  FROM warehouse JOIN district ON d_w_id = w_id WHERE w_id = :w AND d_id = :d \gset
\if :by_name
-- name: payment: count namesakes
SELECT COUNT(*) AS namesakes FROM customer WHERE c_w_id = :c_w AND c_d_id = :c_d AND c_last = :last \gset
\set middle (:namesakes - 1) / 2
-- name: payment: find by name
SELECT c_id AS c FROM customer WHERE c_w_id = :c_w AND c_d_id = :c_d AND c_last = :last
  ORDER BY c_first, c_id LIMIT 1 OFFSET :middle \gset
\endif
-- name: payment: change customer
UPDATE customer SET c_balance = c_balance - :cents * 0.01, c_ytd_payment = c_ytd_payment + :cents * 0.01,
    c_payment_cnt = c_payment_cnt + 1, c_data = CASE c_credit WHEN 'BC' THEN
      SUBSTRING(CONCAT(c_id, ' ', c_d_id, ' ', c_w_id, ' ', c_balance, ' ', c_data), 1, 500) ELSE c_data END
  WHERE c_w_id = :c_w AND c_d_id = :c_d AND c_id = :c;
-- name: payment: read customer
SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit,
    c_credit_lim, c_discount, c_balance, c_data
  FROM customer WHERE c_w_id = :c_w AND c_d_id = :c_d AND c_id = :c;
-- name: payment: write history
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (:c, :c_d, :c_w, :d, :w, CURRENT_TIMESTAMP, :cents * 0.01, :place);
COMMIT;
-- Keying and thinking, where `think_times` is above 0; 1 gives the times of the specification.
\set pause int(1000 * :think_times * (3 + least(120, -12 * ln(random(1, 1000000) / 1000000.0))))
\sleep :pause ms
