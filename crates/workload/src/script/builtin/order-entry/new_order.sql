-- Enters an order of 5 to 15 lines. Of a hundred orders one names an item that does not exist, and is
-- rolled back; every tenth has a line from another warehouse, where there is one.
\set w random(1, :warehouses)
\set d random(1, 10)
\set c 1 + ((random(0, 1023) | random(1, :customers)) + :customer_shift) % :customers
\set lines random(5, 15)
\set wrong random(1, 100) = 1
\set remote case when :warehouses > 1 and random(1, 10) = 1 then random(1, :lines) else 0 end
BEGIN;
-- name: new_order: read customer
SELECT c_discount, c_last, c_credit, w_tax FROM customer JOIN warehouse ON w_id = c_w_id
  WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
-- name: new_order: read district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w AND d_id = :d FOR UPDATE \gset
-- name: new_order: change district
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
\set all_local case when :remote = 0 then 1 else 0 end
-- name: new_order: write order
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
  VALUES (:w, :d, :d_next_o_id, :c, CURRENT_TIMESTAMP, NULL, :lines, :all_local);
-- name: new_order: write new order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :d_next_o_id);
\set line 1
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\set line 2
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\set line 3
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\set line 4
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\set line 5
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\if :lines >= 6
\set line 6
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 7
\set line 7
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 8
\set line 8
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 9
\set line 9
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 10
\set line 10
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 11
\set line 11
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 12
\set line 12
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 13
\set line 13
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 14
\set line 14
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :lines >= 15
\set line 15
\set i 1 + ((random(0, 8191) | random(1, :items)) + :item_shift) % :items
\set i case when :wrong and :line = :lines then 0 else :i end
\set supplier case when :line = :remote then 1 + (:w + random(0, :warehouses - 2)) % :warehouses else :w end
\set quantity random(1, 10)
-- name: new_order: read item
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i \aset
\if :i > 0
-- name: new_order: read stock
SELECT s_quantity, s_data, CASE CAST(:d AS DECIMAL(2))
    WHEN 1 THEN s_dist_01
    WHEN 2 THEN s_dist_02
    WHEN 3 THEN s_dist_03
    WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05
    WHEN 6 THEN s_dist_06
    WHEN 7 THEN s_dist_07
    WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09
    WHEN 10 THEN s_dist_10 END AS dist_info
  FROM stock WHERE s_w_id = :supplier AND s_i_id = :i FOR UPDATE \gset
\set left case when :s_quantity >= :quantity + 10 then :s_quantity - :quantity else :s_quantity - :quantity + 91 end
\set away case when :supplier = :w then 0 else 1 end
-- name: new_order: change stock
UPDATE stock SET s_quantity = :left, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + :away WHERE s_w_id = :supplier AND s_i_id = :i;
-- name: new_order: write line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
    ol_quantity, ol_amount, ol_dist_info)
  VALUES (:w, :d, :d_next_o_id, :line, :i, :supplier, NULL, :quantity,
    :quantity * CAST(:i_price AS DECIMAL(5, 2)), :dist_info);
\endif
\endif
\if :wrong
-- name: new_order: ROLLBACK
ROLLBACK;
\else
COMMIT;
\endif
-- Keying and thinking, where `think_times` is above 0; 1 gives the times of the specification.
\set pause int(1000 * :think_times * (18 + least(120, -12 * ln(random(1, 1000000) / 1000000.0))))
\sleep :pause ms
