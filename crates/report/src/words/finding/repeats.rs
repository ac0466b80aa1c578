//! Whether repeats are independent of one another.

use super::{Group, Words};
use crate::numbers::figure;
use analyse::RepeatsAlike;

impl Words for RepeatsAlike {
    const HEADING: &'static str = "Repeats that resemble each other";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { autocorrelation, widening, repeats } = found.first;
        format!(
            "repeats that follow one another resemble each other (autocorrelation {}): something \
             changes slowly in the background, such as a neighbour on the machine, or rows of imported \
             results are sorted; intervals of {repeats} repeats are {} times as wide for it, and \
             repeats that are further apart in time would give narrower ones",
            figure(*autocorrelation),
            figure(*widening)
        )
    }
}
