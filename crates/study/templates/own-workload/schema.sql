-- A small web shop. `weighin` runs this once for each target, before its first trial.

CREATE TABLE customers (
    id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    email VARCHAR(100) NOT NULL UNIQUE,
    name VARCHAR(60) NOT NULL,
    joined DATE NOT NULL,
    notes VARCHAR(200) NULL
);

CREATE TABLE products (
    id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name VARCHAR(60) NOT NULL,
    category VARCHAR(20) NOT NULL,
    price DECIMAL(8, 2) NOT NULL,
    KEY by_category (category, price)
);

CREATE TABLE stock (
    product_id INT NOT NULL PRIMARY KEY,
    quantity INT NOT NULL,
    FOREIGN KEY (product_id) REFERENCES products (id)
);

CREATE TABLE orders (
    id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    customer_id INT NOT NULL,
    placed DATETIME NOT NULL,
    status VARCHAR(10) NOT NULL,
    KEY by_customer (customer_id, placed),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);

CREATE TABLE order_lines (
    id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    order_id INT NOT NULL,
    product_id INT NOT NULL,
    quantity INT NOT NULL,
    price DECIMAL(8, 2) NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id),
    FOREIGN KEY (product_id) REFERENCES products (id)
);
