use crate::ServedBy;
use model::WorkersTried;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The niceness of highest priority, without its sign.
const HIGHEST_PRIORITY: libc::c_int = 20;

/// From so many clients of a worker on it takes replies together.
const MIN_IN_TURN: usize = 4;

/// With how many clients of a server on this host for each processor a worker on each may do better than
/// few workers, where a thread serves each client. With more, what fewer wake-ups save is worth more than what nearness saves.
const CLIENTS_BESIDE_SERVER: RangeInclusive<u32> = 2..=8;

/// Processor time, user and system, that this whole process has used.
pub fn process_cpu() -> Duration {
    let (user, system) = process_times();
    user + system
}

/// The same, user and system apart.
pub fn process_times() -> (Duration, Duration) {
    let usage = usage_of(libc::RUSAGE_SELF);
    (time(usage.ru_utime), time(usage.ru_stime))
}

/// Processor time, user and system, that the calling thread has used.
pub(crate) fn thread_cpu() -> Duration {
    let usage = usage_of(libc::RUSAGE_THREAD);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Highest resident set that this process has had, in bytes.
pub fn peak_rss_bytes() -> u64 {
    // Linux gives kibibytes.
    u64::try_from(usage_of(libc::RUSAGE_SELF).ru_maxrss).unwrap_or(0) * 1024
}

/// Gives the calling thread as much right to a processor as half of so many threads of the server
/// have together, those that its clients can keep busy, on the same host: a load generator that waits for
/// a processor while replies wait for it is not the load that was asked for, and one that pushes
/// the server aside for every reply is not either. Storage has no threads to push aside: what it has
/// under way counts in their place. Does nothing where that is not permitted; how
/// late replies are noticed is measured in any case.
pub(crate) fn set_niceness(server_threads: usize) {
    // Of no process is that of the calling thread; the result needs no looking at.
    let _ = rustix::process::setpriority_process(None, niceness(server_threads));
}

/// Lets the calling thread wait for its turn when it wakes up, where it runs under the scheduler's
/// default policy. With the weight of [`set_niceness`] it would push aside, for every single reply, the
/// very thread of the server that has the next ones to send; a moment later they come together, and
/// one wake-up does for all of them. With fewer than [`MIN_IN_TURN`] clients no replies come
/// together: there it would only wait. How late replies are noticed is measured in any case.
pub(crate) fn wake_in_turn(clients: usize) {
    if clients < MIN_IN_TURN {
        return;
    }
    // SAFETY: 0 stands for the calling thread; the parameters are plain numbers, of which zero is a
    // value, on the stack and only read. The result needs no looking at: without the change it works
    // as well, only dearer.
    unsafe {
        if libc::sched_getscheduler(0) == libc::SCHED_OTHER {
            let parameters: libc::sched_param = std::mem::zeroed();
            libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters);
        }
    }
}

/// The scheduler weighs threads by 1.25^−niceness (sched(7)).
fn niceness(server_threads: usize) -> libc::c_int {
    let threads = (server_threads as f64 / 2.0).max(1.0);
    -((threads.ln() / 1.25_f64.ln()).round() as libc::c_int).min(HIGHEST_PRIORITY)
}

/// Processors that this process may run on; at least 1.
pub fn cpus_allowed() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// How many workers drive so many clients of a server best, and by what that was chosen. A worker with
/// fewer than four clients is woken for every reply; then each client has its own, which sleeps and
/// wakes on one processor together with the server's thread for it. A worker with more takes replies
/// together: half of the processors at most, so that a server on the same host keeps the other half,
/// and no more than one worker for every 64 clients.
///
/// Where they work beside the threads that serve them, one for each client on this host, few clients
/// may do better with a worker on each processor, which is to stay there ([`stay_on_processor`]): waking
/// a thread of the same processor needs no interrupt to another one. On some virtual machines such an
/// interrupt costs more than all the rest of a query, on others fewer wake-ups are worth more: so both
/// are tried, few workers and so many.
///
/// Where a process serves each client, a worker stays on each processor without trying, however many
/// clients there are: one that takes its turn among so many processes leaves them without requests.
pub(crate) fn available_workers(
    clients: u32,
    served_here: Option<ServedBy>,
    tried: impl FnOnce(u32, u32) -> Option<WorkersTried>,
) -> (u32, Option<WorkersTried>) {
    let cpus = cpus_allowed();
    let few = workers_of_many(clients);
    if (clients as usize) < MIN_IN_TURN {
        return (clients.clamp(1, cpus), None);
    }
    let of_each_processor = clients.div_ceil(cpus);
    match served_here {
        Some(ServedBy::ProcessOfEach) if of_each_processor >= *CLIENTS_BESIDE_SERVER.start() => {
            return (cpus, None);
        }
        Some(ServedBy::ThreadOfEach)
            if few < cpus && CLIENTS_BESIDE_SERVER.contains(&of_each_processor) => {}
        _ => return (few, None),
    }
    let tried = tried(few, cpus);
    let suits = tried.is_some_and(|tried| tried.suits_each_processor());
    (if suits { cpus } else { few }, tried)
}

/// Keeps the calling thread on one of the processors that it may run on, counted from 0. Does nothing
/// where it may not use all of their time, or the kernel refuses.
pub(crate) fn stay_on_processor(number: u32) {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: cpu_set_t is plain bits, for which zero is a value; the kernel writes and reads no more
    // than the size that it is given, and CPU_ISSET and CPU_SET stay below CPU_SETSIZE.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &raw mut allowed) != 0 {
            return;
        }
        let mut processors =
            (0..libc::CPU_SETSIZE as usize).filter(|&n| libc::CPU_ISSET(n, &allowed));
        if processors.clone().count() != cpus_allowed() as usize {
            return;
        }
        if let Some(processor) = processors.nth(number as usize) {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor, &mut one);
            libc::sched_setaffinity(0, size, &raw const one);
        }
    }
}

/// How many workers drive so many reads and writes of storage best: nothing else is woken for them,
/// and few workers take completions together.
pub(crate) fn available_storage_workers(queue_depth: u32) -> u32 {
    workers_of_many(queue_depth)
}

fn workers_of_many(clients: u32) -> u32 {
    (cpus_allowed() / 2).clamp(1, clients.div_ceil(64).max(1))
}

fn usage_of(who: libc::c_int) -> libc::rusage {
    // SAFETY: rusage is plain numbers, for which zero is a value; getrusage only writes into it
    // and cannot fail for the constants that this module passes.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &mut usage);
        usage
    }
}

fn time(value: libc::timeval) -> Duration {
    let micros = value.tv_sec * 1_000_000 + value.tv_usec;
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_uses_processor_time_and_memory() {
        let before = thread_cpu();
        let mut sum = 0u64;
        while thread_cpu() - before < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_mul(31) + 1);
        }
        assert!(process_cpu() >= thread_cpu());
        assert!(peak_rss_bytes() > 100_000);
    }

    #[test]
    fn the_weight_of_a_worker_grows_with_its_clients() {
        assert_eq!(
            [1, 2, 16, 64, 256, 1_000, 60_000].map(niceness),
            [0, 0, -9, -16, -20, -20, -20]
        );
    }

    #[test]
    fn a_worker_takes_its_turn_unless_somebody_chose_otherwise() {
        // SAFETY: takes no pointers.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        std::thread::spawn(move || {
            wake_in_turn(MIN_IN_TURN - 1);
            assert_eq!(policy(), libc::SCHED_OTHER);
            wake_in_turn(MIN_IN_TURN);
            assert_eq!(policy(), libc::SCHED_BATCH);
            let idle = libc::sched_param { sched_priority: 0 };
            // SAFETY: as in `wake_in_turn`.
            unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const idle) };
            wake_in_turn(MIN_IN_TURN);
            assert_eq!(policy(), libc::SCHED_IDLE);
        })
        .join()
        .unwrap();
    }

    /// Where trying comes to this.
    fn available(clients: u32, served_here: Option<ServedBy>, each: f64) -> u32 {
        let came_to = WorkersTried { few_per_second: 1.0, each_per_second: each };
        available_workers(clients, served_here, |_, _| Some(came_to)).0
    }

    #[test]
    fn few_clients_get_a_worker_each_and_many_share_few() {
        let cpus = cpus_allowed();
        for served_here in [None, Some(ServedBy::Threads(1)), Some(ServedBy::ThreadOfEach)] {
            let workers = |clients| available(clients, served_here, 2.0);
            assert_eq!([1, 2, 3].map(workers), [1, 2.min(cpus), 3.min(cpus)]);
            assert_eq!(workers(100_000), (cpus / 2).max(1));
        }
        assert_eq!([4, 64].map(|clients| available(clients, None, 2.0)), [1, 1]);
        assert_eq!([1, 2, 64].map(available_storage_workers), [1, 1, 1]);
    }

    #[test]
    fn beside_a_server_few_clients_get_what_does_more() {
        let cpus = cpus_allowed();
        let by_threads = Some(ServedBy::ThreadOfEach);
        for clients in [2 * cpus, 8 * cpus].map(|clients| clients.max(4)) {
            assert_eq!(available(clients, by_threads, 1.2), cpus, "{clients}");
            for each in [0.8, 1.0, 1.01] {
                assert_eq!(
                    available(clients, by_threads, each),
                    workers_of_many(clients),
                    "{clients}"
                );
            }
            let untried = available_workers(clients, by_threads, |_, _| None);
            assert_eq!(untried, (workers_of_many(clients), None));
        }
        let many = 8 * cpus + 1;
        let unasked = |_, _| unreachable!("that many have few workers everywhere");
        assert_eq!(available_workers(many, by_threads, unasked), (workers_of_many(many), None));
    }

    #[test]
    fn beside_processes_of_a_server_there_is_a_worker_on_each_processor() {
        let untried = |_, _| unreachable!("processes are not tried");
        for clients in [4.max(2 * cpus_allowed()), 64 * cpus_allowed(), 10_000] {
            let workers = available_workers(clients, Some(ServedBy::ProcessOfEach), untried);
            assert_eq!(workers, (cpus_allowed(), None), "{clients}");
        }
    }

    #[test]
    fn a_thread_stays_on_the_processor_that_it_was_given() {
        let cpus = cpus_allowed();
        for number in 0..cpus {
            let left = std::thread::spawn(move || {
                stay_on_processor(number);
                cpus_allowed()
            });
            assert_eq!(left.join().unwrap(), 1);
        }
        // There is none of that number.
        let left = std::thread::spawn(move || {
            stay_on_processor(cpus);
            cpus_allowed()
        });
        assert_eq!(left.join().unwrap(), cpus);
    }
}
