pub(crate) fn kernel() -> Vec<Vec<u8>> {
    let disks = " 259 0 nvme0n1 1000 10 8000 500 2000 20 16000 1000 0 900 1500 7 1 800 30 50 40\n";
    let all = [
        "cpu  1000 50 400 8000 300 20 30 100 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n\0\
         cpu  1050 60 420 8080 320 25 35 110 9 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
        "x\x0027 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n33 27 8:1 / /srv/my\\040data \
         rw,noatime shared:7 - xfs /dev/sda1 rw\n",
        "9000000\n\0nr_periods 40\nnr_throttled 7\nthrottled_time 5000000\nusage_usec 9\n\
         throttled_usec 5\n",
        "x\x0012 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24\n",
        "x\0VmRSS:  1234 kB\nVmHWM:  2345 kB\n",
        "x\0MemTotal:  24 kB\nmodel name : A processor\nflags : a hypervisor\n\
         PRETTY_NAME=\"Debian\"\n",
        "x\x000-3,8\n",
        "x\x004:cpu,cpuacct:/db\n0::/user.slice/a:b\n",
    ];
    let two = format!("{disks}\0{}", disks.replace("1000", "1200"));
    all.iter().map(|text| text.as_bytes().to_vec()).chain([two.into_bytes()]).collect()
}

pub(crate) fn files() -> Vec<Vec<u8>> {
    [
        "# c\n[mysqld]\nuser=mysql\n[client] # ours\r\n user = me # x\npassword=\"a\\\\b\\s\\\"c\"\n",
        "[client-mariadb]\npassword='it\\'s # fine'\n!includedir /etc/mysql\n",
        "weighin storage 1\nMade by weighin.\nvms 50\nbytes 1073741824\nfilled yes\n",
        "1234 5678 0b0b-1 pid:[4026531836] host\n",
        "root:x:0:0:root:/root:/bin/bash\nmysql:x:105:111:MySQL,,,:/nonexistent:/bin/false\n",
        "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64\n",
        "2026-11-22 12:00:00 0 [ERROR] unknown variable 'x=1'\n[Note] bye\n1:M 22 Nov # no\n",
        "36 25 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n4:cpu:/db\n\
         37 25 0:32 /db /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n0::/db/x\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

pub(crate) fn control() -> Vec<Vec<u8>> {
    [
        "\"ready\"\n{\"start\":1000000}\n{\"failed\":{\"kind\":\"other\",\"message\":\"m\",\
         \"remedy\":\"r\"}}\n",
        "{\"interval\":{\"interval\":{\"phase\":\"measure\",\"start\":{\"secs\":1,\"nanos\":0},\
         \"length\":{\"secs\":1,\"nanos\":0},\"transactions\":5,\"errors\":0},\"statements\":{}}}\n",
        "{\"prepare\":{\"part\":{\"index\":0,\"of\":2},\"spec\":{\"clients\":2,\"workers\":1},\
         \"workload\":{},\"by_statement\":false,\"seed\":1,\"login\":{\"user\":\"u\"}}}\n",
        "# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.0.1\r\nexecutable:/usr/bin/keydb\r\n\
         role:slave\r\nmaster_host:db\r\nmaster_port:6379\r\ncluster_enabled:1\r\n\
         used_memory:123\r\ncmdstat_get:calls=12,usec=34,usec_per_call=2.83\r\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
