//! What a trial recorded over its time: as much as the trial is long, and mostly alike from one row to
//! the next, so that it is kept compressed, apart from the trial's document.

use crate::value::{charge, damage, document, unfit};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use model::{
    CounterReading, Interval, ReadBudget, Sample, Sampling, TimeSeries, TrialEnd, TrialRecord,
};
use rusqlite::Result;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::Write;
use std::mem::take;

/// Where it stands.
const PLACE: &str = "trial.recording";
/// No byte of zlib's becomes more.
const DENSEST: u64 = 1032;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recording {
    intervals: Vec<Interval>,
    series: Vec<TimeSeries>,
    before: Option<CounterReading>,
    after: Option<CounterReading>,
    /// By machine: the one that weighin ran on, the target's, those that made the load.
    samples: Vec<Vec<Sample>>,
}

/// A recording as it is kept: JSON, compressed by zlib.
pub(crate) struct Compressed {
    pub bytes: Vec<u8>,
    /// Of the JSON.
    pub length: u64,
}

impl Recording {
    /// Takes what belongs here out of a record.
    pub fn take(record: &mut TrialRecord) -> Self {
        let mut recording = Self::default();
        if let TrialEnd::Completed(outcome) = &mut record.end {
            recording.series = take(&mut outcome.series);
            if let Some(load) = &mut outcome.load {
                recording.intervals = take(&mut load.intervals);
            }
        }
        recording.before = record.sampling.before.take();
        recording.after = record.sampling.after.take();
        recording.samples = samples(&mut record.sampling).map(take).collect();
        recording
    }

    /// Puts it back.
    pub fn put(self, record: &mut TrialRecord) -> std::result::Result<(), &'static str> {
        let Self { intervals, series, before, after, samples: own } = self;
        match &mut record.end {
            TrialEnd::Completed(outcome) => {
                outcome.series = series;
                match &mut outcome.load {
                    Some(load) => load.intervals = intervals,
                    None if intervals.is_empty() => {}
                    None => return Err("it has intervals, and the trial has no load"),
                }
            }
            TrialEnd::Failed(_) if intervals.is_empty() && series.is_empty() => {}
            TrialEnd::Failed(_) => return Err("it is of a load, and the trial failed"),
        }
        (record.sampling.before, record.sampling.after) = (before, after);
        if own.len() != samples(&mut record.sampling).count() {
            return Err("its samples are of other machines than the trial's");
        }
        samples(&mut record.sampling).zip(own).for_each(|(place, own)| *place = own);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        let Self { intervals, series, before, after, samples } = self;
        intervals.is_empty()
            && series.is_empty()
            && before.is_none()
            && after.is_none()
            && samples.iter().all(Vec::is_empty)
    }

    pub fn compressed(&self) -> Result<Compressed> {
        compress(&serde_json::to_vec(self).map_err(unfit)?)
    }

    /// Reads one whose JSON has that length.
    pub fn read(bytes: &[u8], length: u64, budget: &ReadBudget) -> Result<Self> {
        INFLATER.with_borrow_mut(|inflater| {
            let json = inflater.inflate(bytes, length, budget)?;
            let recording = document(PLACE, ValueRef::Text(json), budget);
            budget.give_back(length);
            recording
        })
    }
}

pub(crate) fn compress(json: &[u8]) -> Result<Compressed> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(json).map_err(unfit)?;
    Ok(Compressed { bytes: encoder.finish().map_err(unfit)?, length: json.len() as u64 })
}

/// The JSON of a recording, which has that length; charges it.
pub(crate) fn inflate(bytes: &[u8], length: u64, budget: &ReadBudget) -> Result<Vec<u8>> {
    INFLATER.with_borrow_mut(|inflater| Ok(inflater.inflate(bytes, length, budget)?.to_vec()))
}

thread_local! {
    static INFLATER: RefCell<Inflater> = RefCell::default();
}

/// What reading recordings takes and gives back, tens of kilobytes each time. Were it made anew for each
/// of many, what is kept of one would cut up the room that the one before gave back, and 100,000 records
/// would take five times their memory.
struct Inflater {
    state: Decompress,
    json: Vec<u8>,
}

impl Default for Inflater {
    fn default() -> Self {
        Self { state: Decompress::new(true), json: Vec::new() }
    }
}

/// Longer JSON than this gives its memory back.
const KEPT: usize = 1 << 20;

impl Inflater {
    fn inflate(&mut self, bytes: &[u8], length: u64, budget: &ReadBudget) -> Result<&[u8]> {
        if length / DENSEST > bytes.len() as u64 {
            return Err(damage(PLACE, "it cannot have the length that it says"));
        }
        charge(budget, length)?;
        self.state.reset(true);
        self.json.clear();
        self.json.shrink_to(KEPT);
        // One more than it should have shows that it is longer.
        self.json.reserve_exact((length as usize).saturating_add(1));
        let ended = loop {
            let (read, written) = (self.state.total_in(), self.state.total_out());
            let rest = &bytes[read as usize..];
            let status = self.state.decompress_vec(rest, &mut self.json, FlushDecompress::Finish);
            match status.map_err(|error| damage(PLACE, error.to_string()))? {
                Status::StreamEnd => break true,
                // Nothing goes in or comes out any more.
                _ if (self.state.total_in(), self.state.total_out()) == (read, written) => {
                    break false;
                }
                _ => {}
            }
        };
        match self.json.len() as u64 == length {
            true if ended => Ok(&self.json),
            true => Err(damage(PLACE, "it is cut off")),
            false => Err(damage(PLACE, "it has another length than it says")),
        }
    }
}

/// The samples of a trial by machine.
fn samples(sampling: &mut Sampling) -> impl Iterator<Item = &mut Vec<Sample>> {
    let others = sampling.target_host.as_deref_mut().into_iter().chain(&mut sampling.load_hosts);
    std::iter::once(&mut sampling.samples).chain(others.map(|host| &mut host.samples))
}
