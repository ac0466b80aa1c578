//! Making, warming and dropping the tables, as the commands of that name do.

use super::drivers::{Connection, Driver, DriverName, has_table};
use super::generation::Release;
use super::request::Request;
use crate::commands::{Outcome, print, unless_stopped};
use crate::exit::CliError;
use crate::passing::Progress;
use crate::{Exit, signals};
use model::OltpMix;
use sql::Control;
use sql::tables::{Maker, ToMake, make};
use system::Login;
use workload::oltp::name_of;

/// The numbers of the tables of a request.
fn numbers(request: &Request) -> Vec<u32> {
    let tables = request.workload.tables;
    let from_zero =
        request.workload.mix == OltpMix::BulkInsert && request.generation.tests == Release::V05;
    if from_zero { (0..tables).collect() } else { (1..=tables).collect() }
}

/// Makes the tables. One that is there already is an error: nothing is overwritten.
pub(super) fn prepare<D: Driver>(request: &Request) -> Outcome {
    let login = request.login(&request.server())?.stopped_by(&signals::stop());
    let mut control = D::connect(&login)?;
    let numbers = numbers(request);
    if request.workload.mix == OltpMix::BulkInsert {
        for number in numbers {
            if request.generation.tests >= Release::V10 {
                print(&format!("Creating table '{}'...\n", name_of(&request.workload, number)))?;
            }
            let rows = D::rows(&login, &request.workload, 0);
            control.run_long(&rows.create(number, None)?)?;
        }
        return Ok(Exit::Done);
    }
    if request.generation.tests >= Release::V10 && request.threads > 1 {
        request.say("Initializing worker threads...\n\n")?;
        return fill::<D>(request, &login, &mut control, &numbers);
    }
    // One after the other, as one thread of sysbench would, so that the output is the same.
    for number in numbers {
        fill::<D>(request, &login, &mut control, &[number])?;
    }
    Ok(Exit::Done)
}

fn fill<D: Driver>(
    request: &Request,
    login: &Login,
    control: &mut Connection<D>,
    numbers: &[u32],
) -> Outcome {
    let workload = &request.workload;
    // Numbers that the client makes up would meet those of rows that are there.
    let empty = request.generation.tests >= Release::V10
        && workload.mix == OltpMix::Insert
        && !workload.schema.auto_increment;
    let rows = if empty { 0 } else { workload.table_size };
    let names: Vec<String> = numbers.iter().map(|number| name_of(workload, *number)).collect();
    for name in &names {
        print(&format!("Creating table '{name}'...\n"))?;
    }
    for name in &names {
        refuse_existing::<D>(request, control, name)?;
    }
    for name in names.iter().filter(|_| rows > 0) {
        print(&match request.generation.tests {
            Release::V04 => format!("Creating {rows} records in table '{name}'...\n"),
            _ => format!("Inserting {rows} records into '{name}'\n"),
        })?;
    }
    let progress = Progress::start("rows");
    let made = make(
        &D::rows(login, workload, request.seed.number()),
        control,
        workload,
        &ToMake { numbers, rows, threads: request.threads },
        &signals::stop(),
        &mut |step| progress.show(step),
    );
    progress.finish();
    unless_stopped(made, "tables are unfinished: drop them with the cleanup command")?;
    for name in &names {
        let line = match request.generation.tests {
            Release::V04 => continue,
            Release::V05 => format!("Creating secondary indexes on '{name}'...\n"),
            _ if !workload.schema.index_on_k => continue,
            _ => format!("Creating a secondary index on '{name}'...\n"),
        };
        print(&line)?;
    }
    Ok(Exit::Done)
}

/// Says that a table is there before anything is said of its rows.
fn refuse_existing<D: Driver>(
    request: &Request,
    control: &mut Connection<D>,
    name: &str,
) -> Result<(), CliError> {
    match has_table::<D>(control, name)? {
        false => Ok(()),
        true => Err(CliError::unavailable(
            format!("the table {name} already exists"),
            format!(
                "drop it with the cleanup command, or name another database with --{}",
                request.driver.option("db")
            ),
        )),
    }
}

/// Drops the tables: those that the command line stands for, and nothing else.
pub(super) fn cleanup<D: Driver>(request: &Request) -> Outcome {
    let login = request.login(&request.server())?.stopped_by(&signals::stop());
    let mut control = D::connect(&login)?;
    for number in numbers(request) {
        let name = name_of(&request.workload, number);
        print(&format!("Dropping table '{name}'...\n"))?;
        let if_exists = match request.generation.tests {
            Release::V05 if request.workload.mix == OltpMix::BulkInsert => "IF EXISTS ",
            Release::V05 | Release::V04 => "",
            _ => "IF EXISTS ",
        };
        control.run_long(&format!("DROP TABLE {if_exists}{name}"))?;
    }
    if request.generation.tests == Release::V04 {
        print("Done.\n")?;
    }
    Ok(Exit::Done)
}

/// Reads every table and its index into the server's cache.
pub(super) fn prewarm(request: &Request) -> Outcome {
    if request.driver != DriverName::Mysql {
        return Err(CliError::usage(
            "prewarm is currently MySQL only",
            "run a load for a while, with --warmup-time, to have the tables in the cache",
        ));
    }
    let login = request.login(&request.server())?.stopped_by(&signals::stop());
    if request.threads > 1 {
        request.say("Initializing worker threads...\n\n")?;
    }
    let (tables, threads) = (request.workload.tables, request.threads.min(request.workload.tables));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let login = &login;
                scope.spawn(move || -> Result<(), CliError> {
                    let mut control = mysql::connect(login)?;
                    let mine = (thread + 1..=tables).step_by(threads as usize);
                    mine.into_iter().try_for_each(|number| warm(&mut control, request, number))
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            // A panic of a worker is a panic of the whole.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(Exit::Done)
}

fn warm(
    control: &mut mysql::client::Connection,
    request: &Request,
    number: u32,
) -> Result<(), CliError> {
    let (name, rows) = (name_of(&request.workload, number), request.workload.table_size);
    let doing = if request.generation.tests == Release::V11 { "Preloading" } else { "Prewarming" };
    print(&format!("{doing} table {name}\n"))?;
    for sql in [
        // Temporary tables on disk would push out what is read.
        "SET tmp_table_size=2*1024*1024*1024".to_owned(),
        "SET max_heap_table_size=2*1024*1024*1024".to_owned(),
        format!("ANALYZE TABLE {name}"),
        format!("SELECT AVG(id) FROM (SELECT * FROM {name} FORCE KEY (PRIMARY) LIMIT {rows}) AS t"),
        format!("SELECT COUNT(*) FROM (SELECT * FROM {name} WHERE k LIKE '%0%' LIMIT {rows}) AS t"),
    ] {
        control.run_long(&sql)?;
    }
    Ok(())
}
