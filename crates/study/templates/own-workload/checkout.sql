-- A customer orders two products.
\set customer random_zipfian(1, :customers, 1.1)
\set first random_zipfian(1, :products, 1.1)
\set second random_zipfian(1, :products, 1.1)
BEGIN;
INSERT INTO orders (customer_id, placed, status) VALUES (:customer, NOW(), 'open');
SELECT LAST_INSERT_ID() AS order_id \gset
SELECT price FROM products WHERE id = :first \gset first_
SELECT price FROM products WHERE id = :second \gset second_
INSERT INTO order_lines (order_id, product_id, quantity, price) VALUES (:order_id, :first, 1, :first_price);
INSERT INTO order_lines (order_id, product_id, quantity, price) VALUES (:order_id, :second, 1, :second_price);
UPDATE stock SET quantity = quantity - 1 WHERE product_id = :first;
UPDATE stock SET quantity = quantity - 1 WHERE product_id = :second;
COMMIT;
