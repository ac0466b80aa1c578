//! Output of other tools: the samples that the tests of `import` read, long ones shortened.

/// The bytes of these files of `crates/import/tests/fixtures`.
macro_rules! fixtures {
    ($name:ident: $($file:literal),+) => {
        pub(crate) fn $name() -> Vec<Vec<u8>> {
            vec![$(include_bytes!(concat!("../../../import/tests/fixtures/", $file)).to_vec()),+]
        }
    };
}

fixtures!(sysbench: "sysbench/0.4.12.txt", "sysbench/0.5.txt", "sysbench/1.0.20.txt",
    "sysbench/1.0.20-histogram.txt", "sysbench/1.1.txt", "sysbench/two-runs.txt");
fixtures!(fio: "fio/failed.json", "fio/mixed-two-jobs.json", "fio/nothing-done.json",
    "fio/randread.json", "fio/3.33-randread.txt", "fio/3.33-mixed-group.txt", "fio/terse-3.txt",
    "fio/terse-5.txt");
fixtures!(memtier: "memtier/two-commands.json", "memtier/1.4.txt", "memtier/old-runs.txt");
fixtures!(redis_benchmark: "redis-benchmark/7.0.csv", "redis-benchmark/7.0.txt",
    "redis-benchmark/7.0-quiet.txt");
fixtures!(diskspd: "diskspd/2.2.xml", "diskspd/2.2.txt");
fixtures!(packed: "packed/a.csv.gz", "packed/a.csv.zst", "packed/a.csv.xz", "packed/a.csv.bz2",
    "packed/gnu.tar.gz", "packed/pax.tar.zst", "packed/tree.zip", "packed/from-pipe.zip",
    "packed/book.xlsx", "fio/terse-3.txt");
fixtures!(hlog: "hlog/microseconds-tags.hlog", "hlog/nanoseconds.hlog");
fixtures!(pgbench: "pgbench/15.txt", "pgbench/at-a-rate.txt", "pgbench/15-german.txt",
    "pgbench/12-french.txt");
fixtures!(benchbase: "benchbase/tpcc.summary.json");
fixtures!(postgresbench: "clickhouse/postgresbench.json");
fixtures!(clickbench: "clickhouse/clickbench.json");
fixtures!(hammerdb: "hammerdb/tprocc.log", "hammerdb/5-job.json");
fixtures!(mysqlslap: "mysqlslap/two-levels.txt");
fixtures!(iostat: "iostat/11.log", "iostat/12-dated.log", "iostat/12-mebibytes.log",
    "iostat/12-short.log", "iostat/9-undated.log", "iostat/12-dated.json");
fixtures!(show: "show/mysqladmin.txt", "show/status-after.tab", "show/status-before.tab",
    "show/variables.tab", "show/vertical.txt");

pub(crate) fn csv() -> Vec<Vec<u8>> {
    [
        "target,test,clients,metric,value,unit\na,t,4,transactions_per_s,100,1/s\n\
         a,t,4,latency_p95,9.5,ms\na,t,4,transactions_per_s,110,1/s\n\
         b,t,4,transactions_per_s,150,1/s\nb,t,4,latency_p95,1.5,ms\n",
        "target,test,concurrency,rate,repeat,metric,value,unit,note,engine\n\
         a,t,8,100,1,elapsed,266,min,,innodb\na,t,8,100,2,elapsed,3.2,h,\"a, note\",innodb\n\
         b,t,8,100,1,failure,lost connection,,why,innodb\na,t,8,100,1,rank,1,,,innodb\n",
        "target,test,metric,value,unit\na,price,instance_monthly,23,EUR\n\
         a,price,volume_per_gb_month,0.1,USD\na,price,storage_per_million_io,0.2,EUR\n\
         a,label,tenancy,shared,\nb,price,instance_hourly,1,EUR\na,t,cpu,50,%\n",
        "Server;Workload;Threads;TPS;p95 (ms);mystery\nA;rw;16;1.234,5;21,1;3\nB;rw;16;1.100,5;OOM;4\n",
        "Throughput (TPS)\n\nthreads\tMariaDB\tMySQL\n1\t100.5\t99\n16\t1'500.5\t1 400,5\n",
        "target,1 thread,16 threads TPS\na,5,80\nAverage,5,80\n",
        "metric;A;B\nTPS;1,5;2,5\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// Files that belong together, in the form that the target takes.
pub(crate) fn together() -> Vec<Vec<u8>> {
    let file = |directory: u8, bytes: Vec<u8>| [vec![directory], bytes].concat();
    let join = |files: Vec<Vec<u8>>| files.join(&0);
    let mut seeds: Vec<Vec<u8>> = csv().into_iter().map(|text| file(0, text)).collect();
    // Small ones alone: a whole analysis and report follows every run.
    for all in [sysbench(), memtier(), redis_benchmark(), diskspd(), hlog(), pgbench()] {
        for (number, text) in all.into_iter().enumerate() {
            seeds.push(file(number as u8 & 1, text));
        }
    }
    let beside = [iostat(), show()].into_iter().flatten();
    for (number, text) in beside.enumerate() {
        let bench = file(0, sysbench().swap_remove(number % 6));
        seeds.push(join(vec![bench, file(0, text)]));
    }
    let [first, second, third] = [0, 1, 2].map(|number| csv().swap_remove(number));
    seeds.push(join(vec![file(0, first), file(1, second), file(0, third)]));
    seeds
}
