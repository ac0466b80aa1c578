//! What the analysis concludes from datasets of which the truth is known.

mod advice;
mod bench;
mod books;
mod caches;
mod capacity;
mod checks;
mod contents;
mod curves;
mod factors;
mod false_alarms;
mod host;
mod money;
mod open_loop;
mod opinion;
mod outages;
mod overall;
mod own_books;
mod ranking;
mod robust;
mod scaling;
mod scaling_rates;
mod search;
mod steady;
mod study;
mod verdicts;
mod write_debt;
