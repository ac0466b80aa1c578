use super::seed;

pub(crate) fn replies() -> Vec<Vec<u8>> {
    [
        &b"+OK\r\n$3\r\na\rb\r\n$-1\r\n:-7\r\n-OOM no room\r\n"[..],
        b"*2\r\n$1\r\nx\r\n*1\r\n:1\r\n*-1\r\n>2\r\n+invalidate\r\n_\r\n%1\r\n+k\r\n#t\r\n$0\r\n\r\n",
        b"|1\r\n+ttl\r\n:3600\r\n*2\r\n:1\r\n:2\r\n,3.14\r\n(349\r\n=7\r\ntxt:abc\r\n!5\r\nERR x\r\n~1\r\n#f\r\n",
        b"*1\r\n*1\r\n*1\r\n*0\r\n",
    ]
    .into_iter()
    .flat_map(|stream| [seed(&[0], stream), seed(&[2], stream)])
    .collect()
}

pub(crate) fn sessions() -> Vec<Vec<u8>> {
    vec![
        seed(&[0, 1], b"+OK\r\n$3\r\nabc\r\n+OK\r\n$-1\r\n+OK\r\n+OK\r\n"),
        seed(&[3, 3], b"+OK\r\n+OK\r\n+OK\r\n-OOM command not allowed\r\n$3\r\nabc\r\n"),
        seed(&[2, 0], b"-WRONGPASS invalid username-password pair\r\n"),
        seed(
            &[0x0C, 2],
            b"+OK\r\n+OK\r\n$-1\r\n+OK\r\n-LOADING Redis is loading\r\n$3\r\nabc\r\n+OK\r\n",
        ),
    ]
}
