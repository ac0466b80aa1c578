//! PostgreSQL's protocol, version 3: bytes in and bytes out.
