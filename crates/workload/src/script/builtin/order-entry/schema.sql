-- The nine tables of order entry: warehouses with ten districts each, their customers, and what these order.

CREATE TABLE warehouse (
    w_id INT NOT NULL,
    w_name VARCHAR(10) NOT NULL,
    w_street_1 VARCHAR(20) NOT NULL,
    w_street_2 VARCHAR(20) NOT NULL,
    w_city VARCHAR(20) NOT NULL,
    w_state VARCHAR(2) NOT NULL,
    w_zip VARCHAR(9) NOT NULL,
    w_tax DECIMAL(4, 4) NOT NULL,
    w_ytd DECIMAL(14, 2) NOT NULL,
    PRIMARY KEY (w_id)
);

CREATE TABLE district (
    d_w_id INT NOT NULL,
    d_id INT NOT NULL,
    d_name VARCHAR(10) NOT NULL,
    d_street_1 VARCHAR(20) NOT NULL,
    d_street_2 VARCHAR(20) NOT NULL,
    d_city VARCHAR(20) NOT NULL,
    d_state VARCHAR(2) NOT NULL,
    d_zip VARCHAR(9) NOT NULL,
    d_tax DECIMAL(4, 4) NOT NULL,
    d_ytd DECIMAL(14, 2) NOT NULL,
    d_next_o_id INT NOT NULL,
    PRIMARY KEY (d_w_id, d_id),
    FOREIGN KEY (d_w_id) REFERENCES warehouse (w_id)
);

CREATE TABLE customer (
    c_w_id INT NOT NULL,
    c_d_id INT NOT NULL,
    c_id INT NOT NULL,
    c_first VARCHAR(16) NOT NULL,
    c_middle VARCHAR(2) NOT NULL,
    c_last VARCHAR(16) NOT NULL,
    c_street_1 VARCHAR(20) NOT NULL,
    c_street_2 VARCHAR(20) NOT NULL,
    c_city VARCHAR(20) NOT NULL,
    c_state VARCHAR(2) NOT NULL,
    c_zip VARCHAR(9) NOT NULL,
    c_phone VARCHAR(16) NOT NULL,
    c_since TIMESTAMP NULL,
    c_credit VARCHAR(2) NOT NULL,
    c_credit_lim DECIMAL(12, 2) NOT NULL,
    c_discount DECIMAL(4, 4) NOT NULL,
    c_balance DECIMAL(14, 2) NOT NULL,
    c_ytd_payment DECIMAL(14, 2) NOT NULL,
    c_payment_cnt INT NOT NULL,
    c_delivery_cnt INT NOT NULL,
    c_data VARCHAR(500) NOT NULL,
    PRIMARY KEY (c_w_id, c_d_id, c_id),
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);
CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first);

CREATE TABLE history (
    h_c_id INT NOT NULL,
    h_c_d_id INT NOT NULL,
    h_c_w_id INT NOT NULL,
    h_d_id INT NOT NULL,
    h_w_id INT NOT NULL,
    h_date TIMESTAMP NULL,
    h_amount DECIMAL(6, 2) NOT NULL,
    h_data VARCHAR(24) NOT NULL,
    FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer (c_w_id, c_d_id, c_id),
    FOREIGN KEY (h_w_id, h_d_id) REFERENCES district (d_w_id, d_id)
);

CREATE TABLE item (
    i_id INT NOT NULL,
    i_im_id INT NOT NULL,
    i_name VARCHAR(24) NOT NULL,
    i_price DECIMAL(5, 2) NOT NULL,
    i_data VARCHAR(50) NOT NULL,
    PRIMARY KEY (i_id)
);

CREATE TABLE stock (
    s_w_id INT NOT NULL,
    s_i_id INT NOT NULL,
    s_quantity INT NOT NULL,
    s_dist_01 VARCHAR(24) NOT NULL,
    s_dist_02 VARCHAR(24) NOT NULL,
    s_dist_03 VARCHAR(24) NOT NULL,
    s_dist_04 VARCHAR(24) NOT NULL,
    s_dist_05 VARCHAR(24) NOT NULL,
    s_dist_06 VARCHAR(24) NOT NULL,
    s_dist_07 VARCHAR(24) NOT NULL,
    s_dist_08 VARCHAR(24) NOT NULL,
    s_dist_09 VARCHAR(24) NOT NULL,
    s_dist_10 VARCHAR(24) NOT NULL,
    s_ytd INT NOT NULL,
    s_order_cnt INT NOT NULL,
    s_remote_cnt INT NOT NULL,
    s_data VARCHAR(50) NOT NULL,
    PRIMARY KEY (s_w_id, s_i_id),
    FOREIGN KEY (s_w_id) REFERENCES warehouse (w_id),
    FOREIGN KEY (s_i_id) REFERENCES item (i_id)
);

CREATE TABLE orders (
    o_w_id INT NOT NULL,
    o_d_id INT NOT NULL,
    o_id INT NOT NULL,
    o_c_id INT NOT NULL,
    o_entry_d TIMESTAMP NULL,
    o_carrier_id INT NULL,
    o_ol_cnt INT NOT NULL,
    o_all_local INT NOT NULL,
    PRIMARY KEY (o_w_id, o_d_id, o_id),
    FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)
);
CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);

CREATE TABLE new_order (
    no_w_id INT NOT NULL,
    no_d_id INT NOT NULL,
    no_o_id INT NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id),
    FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)
);

CREATE TABLE order_line (
    ol_w_id INT NOT NULL,
    ol_d_id INT NOT NULL,
    ol_o_id INT NOT NULL,
    ol_number INT NOT NULL,
    ol_i_id INT NOT NULL,
    ol_supply_w_id INT NOT NULL,
    ol_delivery_d TIMESTAMP NULL,
    ol_quantity INT NOT NULL,
    ol_amount DECIMAL(6, 2) NOT NULL,
    ol_dist_info VARCHAR(24) NOT NULL,
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
    FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id),
    FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES stock (s_w_id, s_i_id)
);
