-- A customer orders two products.
\set customer random_zipfian(1, :customers, 1.1)
\set first random_zipfian(1, :products, 1.1)
\set second random_zipfian(1, :products, 1.1)
BEGIN;
INSERT INTO orders (customer_id, placed, status) VALUES (:customer, NOW(), 'open');
SELECT LAST_INSERT_ID() AS order_id \gset
INSERT INTO order_lines (order_id, product_id, quantity, price)
SELECT :order_id, id, 1, price FROM products WHERE id = :first;
INSERT INTO order_lines (order_id, product_id, quantity, price)
SELECT :order_id, id, 1, price FROM products WHERE id = :second;
UPDATE stock SET quantity = quantity - 1 WHERE product_id = :first;
UPDATE stock SET quantity = quantity - 1 WHERE product_id = :second;
COMMIT;
