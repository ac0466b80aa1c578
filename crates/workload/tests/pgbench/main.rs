//! Scripts mean what they mean to pgbench 15 of PostgreSQL, run on a server of its own.

mod accepted;
mod functions;
mod server;
mod support;
