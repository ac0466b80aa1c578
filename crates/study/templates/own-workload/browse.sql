-- A visitor looks at a page of a category, and at one product of it.
\set product random_zipfian(1, :products, 1.1)
\set page random(0, 20) * 10
SELECT category FROM products WHERE id = :product \gset
SELECT id, name, price FROM products WHERE category = :category ORDER BY price, id LIMIT 10 OFFSET :page;
SELECT p.name, p.price, s.quantity FROM products p JOIN stock s ON s.product_id = p.id WHERE p.id = :product;
