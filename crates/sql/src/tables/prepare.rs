use super::check::check_table;
use super::{Filling, Maker, Piece, TableInfo, ToDo, mark, to_do};
use crate::Control;
use engine::cpus_allowed;
use model::{Failure, FailureKind, Oltp, Stop};
use std::sync::atomic::AtomicU64;
use std::time::Instant;
use system::{DataPlan, Login, Prepared, Preparing, Step};
use workload::oltp::{drop_table, table_name};

/// Most connections that fill tables at the same time, unless told otherwise.
const MAX_CONNECTIONS: u32 = 4;

/// Connections that fill tables at the same time, unless told otherwise.
pub fn filling_connections() -> u32 {
    cpus_allowed().min(MAX_CONNECTIONS)
}

/// Makes sure that the tables of a workload are there with all their rows, and makes what is
/// missing with several connections at once.
///
/// # Errors
/// `ForeignTables` when that would need making tables beside somebody else's, `MissingTables`
/// when somebody else's tables are too small or of another shape, and whatever the server says.
/// [`Failure::stopped`]: tables that are unfinished then are marked so, and made anew the next time.
pub fn prepare<M: Maker<Connection: Control>>(
    maker: &M,
    login: &Login,
    control: &mut M::Connection,
    workload: &Oltp,
    preparing: &mut Preparing<'_>,
) -> Result<Prepared, Failure> {
    let &mut Preparing { connections, stop, ref mut progress, .. } = preparing;
    let began = Instant::now();
    let (to_do, _) = planned(login, control, workload)?;
    for &number in &to_do.replace {
        control.run_long(&drop_table(number))?;
    }
    let fill = to_do.fill();
    for &number in &fill {
        control.run_long(&maker.create(number, Some(mark::unfinished()))?)?;
    }
    if !fill.is_empty() {
        let marking = Marking { maker, workload };
        let connections = connections.unwrap_or_else(filling_connections);
        Filling::new(&marking, workload, &fill, stop).run(connections, *progress)?;
        maker.settle(control, &fill)?;
    }
    Ok(to_do.done(workload, &control.tables()?, began.elapsed()))
}

/// What [`prepare`] would do now; changes nothing. Also the names of the tables that it would keep.
///
/// # Errors
/// As [`prepare`], as far as that can be told beforehand.
pub fn dry_run(
    login: &Login,
    control: &mut impl Control,
    workload: &Oltp,
) -> Result<(DataPlan, Vec<String>), Failure> {
    let (to_do, present) = planned(login, control, workload)?;
    Ok(to_do.described(workload, &present))
}

/// What there is to do, and what is there; tables of somebody else will serve.
fn planned(
    login: &Login,
    control: &mut impl Control,
    workload: &Oltp,
) -> Result<(ToDo, Vec<TableInfo>), Failure> {
    let present = control.tables()?;
    let to_do = to_do(workload, &present, &login.address().database)?;
    for &number in &to_do.foreign {
        check_table(control, workload, number, &present)?;
    }
    Ok((to_do, present))
}

/// Tables that the user asks for by name.
#[derive(Clone, Copy, Debug)]
pub struct ToMake<'a> {
    /// Their numbers.
    pub numbers: &'a [u32],
    /// Rows for each; 0 for empty tables.
    pub rows: u32,
    /// Connections that fill them.
    pub threads: u32,
}

/// Makes tables that are not there yet, beside whatever else the database holds, and does not mark
/// them as weighin's.
///
/// # Errors
/// When one is there already, and whatever else the server says; [`Failure::stopped`] before all
/// rows were there.
pub fn make<M: Maker<Connection: Control>>(
    maker: &M,
    control: &mut M::Connection,
    workload: &Oltp,
    tables: &ToMake<'_>,
    stop: &Stop,
    progress: &mut dyn FnMut(Step),
) -> Result<(), Failure> {
    for &number in tables.numbers {
        control.run_long(&maker.create(number, None)?)?;
    }
    if tables.rows == 0 {
        return tables.numbers.iter().try_for_each(|&number| maker.finish(control, number));
    }
    Filling::new(maker, workload, tables.numbers, stop).run(tables.threads, progress)
}

/// Makes rows as another does, and marks tables as finished when they have all of them.
struct Marking<'a, M> {
    maker: &'a M,
    workload: &'a Oltp,
}

impl<M: Maker<Connection: Control>> Maker for Marking<'_, M> {
    type Connection = M::Connection;

    fn create(&self, table: u32, comment: Option<&str>) -> Result<String, Failure> {
        self.maker.create(table, comment)
    }

    fn connect(&self) -> Result<M::Connection, Failure> {
        self.maker.connect()
    }

    fn fill(
        &self,
        connection: &mut M::Connection,
        piece: Piece,
        rows: &AtomicU64,
    ) -> Result<(), Failure> {
        self.maker.fill(connection, piece, rows)
    }

    fn finish(&self, connection: &mut M::Connection, table: u32) -> Result<(), Failure> {
        self.maker.finish(connection, table)?;
        check_count(connection, self.workload, table)?;
        let comment = mark::finished(self.workload);
        connection.run_long(&M::Connection::comment_on(&table_name(table), &comment))
    }
}

/// Counts the rows of a table that was just filled.
fn check_count(control: &mut impl Control, workload: &Oltp, number: u32) -> Result<(), Failure> {
    let name = table_name(number);
    let rows = control.number(&format!("SELECT COUNT(*) FROM {name}"))?;
    if rows == Some(u64::from(workload.table_size)) {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::MissingTables,
        format!(
            "{name} has {} rows after preparing it with {}",
            rows.unwrap_or(0),
            workload.table_size
        ),
        "see whether something else writes to this database, and prepare again",
    ))
}
