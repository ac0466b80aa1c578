//! Findings: what a reader should know, as values with their evidence, and the sentences for them.
//!
//! A kind of finding is one struct of figures that implements [`FindingKind`]: how severe it is, which
//! of its findings one sentence says together, and that sentence. It is registered once, in `kinds`.
//! `analyse` makes them, `report` arranges them; what findings speak of is here ([`Verdict`],
//! [`Amount`], [`FittedLaw`] and others), and so is how numbers, places and names read.
//!
//! A difference is given as a ratio with its interval, never as "N % faster", so that the
//! variation is in the sentence.

mod amount;
mod kind;
pub mod kinds;
pub mod names;
pub mod numbers;
pub mod place;
pub mod processors;
mod range;
mod sentence;
pub mod storage;
mod subject;
pub mod words;

pub use amount::{Amount, SAME};
pub use kind::FindingKind;
pub use kinds::*;
pub use range::Range;
pub use sentence::{PlacedStatement, capitalised, said, sentence, sentences, statement};
pub use subject::{Finding, Severity, Subject, Validity};
