//! What was sampled while a trial ran: host, processes and the server's counters; disks are in
//! [`disks`].

use crate::value::{Columns, Nanos};
use crate::{conditions, disks};
use model::{
    CounterReading, CpuShares, HostSampling, ProcessUsage, Sample, Sampling, ServerCounters,
};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// Of which machine a sample is: the one that weighin ran on, that of the target where it is another,
/// and from [`FIRST_LOAD_HOST`] on others that made the load.
const OWN: u32 = 0;
const TARGET_HOST: u32 = 1;
const FIRST_LOAD_HOST: u32 = 2;

const BEFORE: &str = "before";
const DURING: &str = "sample";
const AFTER: &str = "after";

/// Writes all samples of a trial.
pub(crate) fn insert(connection: &Connection, position: u32, sampling: &Sampling) -> Result<()> {
    for (number, sample) in sampling.samples.iter().enumerate() {
        insert_sample(connection, position, OWN, number as u64, sample)?;
        if let Some(counters) = &sample.counters {
            let at = sample.at_seconds;
            insert_counters(connection, position, DURING, Some(number as u64), at, counters)?;
        }
    }
    let target_host = sampling.target_host.iter().map(|host| (TARGET_HOST, host));
    for (machine, host) in target_host.chain((FIRST_LOAD_HOST..).zip(&sampling.load_hosts)) {
        conditions::insert_host(connection, position, machine, host)?;
        disks::insert_volume(connection, position, machine, &host.volume)?;
        for (number, sample) in host.samples.iter().enumerate() {
            insert_sample(connection, position, machine, number as u64, sample)?;
        }
    }
    conditions::insert_account(connection, position, &sampling.account)?;
    disks::insert_volume(connection, position, OWN, &sampling.volume)?;
    for (moment, reading) in [(BEFORE, &sampling.before), (AFTER, &sampling.after)] {
        if let Some(reading) = reading {
            let at = reading.at_seconds;
            insert_counters(connection, position, moment, None, at, &reading.counters)?;
        }
    }
    Ok(())
}

/// Reads all samples of a trial.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Sampling> {
    let mut readings = Readings::select(connection, position)?;
    let samples = select_samples(connection, position, OWN, &mut readings)?;
    let (mut target_host, mut load_hosts) = (None, Vec::new());
    for (machine, host) in conditions::select_hosts(connection, position)? {
        let samples = select_samples(connection, position, machine, &mut readings)?;
        let volume = disks::select_volume(connection, position, machine)?;
        let host = HostSampling { samples, volume, ..host };
        match machine {
            TARGET_HOST => target_host = Some(host),
            _ => load_hosts.push(host),
        }
    }
    Ok(Sampling {
        samples,
        target_host,
        load_hosts,
        before: readings.take(connection, BEFORE, None)?,
        after: readings.take(connection, AFTER, None)?,
        account: conditions::select_account(connection, position)?,
        volume: disks::select_volume(connection, position, OWN)?,
    })
}

fn insert_sample(
    connection: &Connection,
    position: u32,
    machine: u32,
    number: u64,
    sample: &Sample,
) -> Result<()> {
    let Sample { cpu, server, replicas, client, .. } = sample;
    connection
        .prepare_cached(
            "INSERT INTO sample (position, machine, number, at_seconds, length_ns, cpu_user, cpu_system,
             cpu_iowait, cpu_steal, cpu_idle, server_cpus, server_rss_bytes, replica_cpus,
             replica_rss_bytes, client_cpus, client_rss_bytes)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            machine,
            number,
            sample.at_seconds,
            Nanos(sample.length),
            cpu.user,
            cpu.system,
            cpu.iowait,
            cpu.steal,
            cpu.idle,
            server.map(|usage| usage.cpus),
            server.map(|usage| usage.rss_bytes),
            replicas.map(|usage| usage.cpus),
            replicas.map(|usage| usage.rss_bytes),
            client.cpus,
            client.rss_bytes
        ])?;
    disks::insert(connection, position, machine, number, sample)
}

fn insert_counters(
    connection: &Connection,
    position: u32,
    moment: &str,
    sample: Option<u64>,
    at_seconds: f64,
    counters: &ServerCounters,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO counter_reading (position, moment, sample, at_seconds)
             VALUES (?, ?, ?, ?)",
        )?
        .execute(params![position, moment, sample, at_seconds])?;
    let reading = connection.last_insert_rowid();
    let mut new_name =
        connection.prepare_cached("INSERT OR IGNORE INTO counter_name (name) VALUES (?)")?;
    let mut value = connection.prepare_cached(
        "INSERT INTO counter (reading_id, name_id, value)
         SELECT ?, id, ? FROM counter_name WHERE name = ?",
    )?;
    for (name, count) in counters.iter() {
        new_name.execute([name])?;
        value.execute(params![reading, count, name])?;
    }
    Ok(())
}

fn select_samples(
    connection: &Connection,
    position: u32,
    machine: u32,
    readings: &mut Readings,
) -> Result<Vec<Sample>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, at_seconds, length_ns, cpu_user, cpu_system, cpu_iowait, cpu_steal,
         cpu_idle, client_cpus, client_rss_bytes, server_cpus, server_rss_bytes, replica_cpus,
         replica_rss_bytes FROM sample WHERE position = ? AND machine = ? ORDER BY number",
    )?;
    let samples = statement.query_map(params![position, machine], |row| {
        let mut columns = Columns::of("sample", row);
        let number: u64 = columns.next()?;
        Ok(Sample {
            at_seconds: columns.real()?,
            length: columns.nanos()?,
            cpu: CpuShares {
                user: columns.real()?,
                system: columns.real()?,
                iowait: columns.real()?,
                steal: columns.real()?,
                idle: columns.real()?,
            },
            client: ProcessUsage { cpus: columns.real()?, rss_bytes: columns.next()? },
            server: usage(&mut columns, "server_cpus")?,
            replicas: usage(&mut columns, "replica_cpus")?,
            disks: disks::select(connection, position, machine, number)?,
            counters: match machine {
                OWN => {
                    readings.take(connection, DURING, Some(number))?.map(|reading| reading.counters)
                }
                _ => None,
            },
        })
    })?;
    samples.collect()
}

/// The memory says whether the process was seen: its share of the processors may be unknown.
fn usage(columns: &mut Columns<'_>, share: &'static str) -> Result<Option<ProcessUsage>> {
    let (cpus, rss_bytes): (Option<f64>, Option<u64>) = (columns.next()?, columns.next()?);
    if cpus.is_some() && rss_bytes.is_none() {
        return Err(columns.wrong(format!("it is missing, and {share} is there")));
    }
    Ok(rss_bytes.map(|rss_bytes| ProcessUsage { cpus: cpus.unwrap_or(f64::NAN), rss_bytes }))
}

/// The readings of a trial by moment and sample. They are selected as their digest selects them: by
/// position alone, so that a damaged index does not hide one from the one and not from the other.
struct Readings(BTreeMap<(String, Option<u64>), (i64, f64)>);

impl Readings {
    fn select(connection: &Connection, position: u32) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT moment, sample, id, at_seconds FROM counter_reading WHERE position = ?",
        )?;
        let readings = statement.query_map([position], |row| {
            let mut columns = Columns::of("counter_reading", row);
            Ok(((columns.next()?, columns.next()?), (columns.next()?, columns.real()?)))
        })?;
        Ok(Self(readings.collect::<Result<_>>()?))
    }

    fn take(
        &mut self,
        connection: &Connection,
        moment: &str,
        sample: Option<u64>,
    ) -> Result<Option<CounterReading>> {
        let Some((id, at_seconds)) = self.0.remove(&(moment.to_owned(), sample)) else {
            return Ok(None);
        };
        let mut statement = connection.prepare_cached(
            "SELECT name, value FROM counter JOIN counter_name ON counter_name.id = name_id
             WHERE reading_id = ?",
        )?;
        let counters = statement
            .query_map([id], |row| {
                let mut columns = Columns::of("counter", row);
                Ok((columns.next()?, columns.next()?))
            })?
            .collect::<Result<ServerCounters>>()?;
        Ok(Some(CounterReading { at_seconds, counters }))
    }
}
