-- A customer looks at the last orders.
\set customer random_zipfian(1, :customers, 1.1)
SELECT name, joined FROM customers WHERE id = :customer;
SELECT o.id, o.placed, o.status, SUM(l.quantity * l.price) AS total
FROM orders o JOIN order_lines l ON l.order_id = o.id
WHERE o.customer_id = :customer
GROUP BY o.id, o.placed, o.status ORDER BY o.placed DESC, o.id LIMIT 5;
