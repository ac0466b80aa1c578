use super::seed;

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len() as i32 + 4;
    [&[tag][..], &length.to_be_bytes(), body].concat()
}

fn let_in() -> Vec<u8> {
    [
        message(b'R', &[0; 4]),
        message(b'S', b"server_version\x0015.8\0"),
        message(b'S', b"standard_conforming_strings\0on\0"),
        message(b'K', &[0, 0, 0, 7, 1, 2, 3, 4]),
        message(b'Z', b"I"),
    ]
    .concat()
}

fn refusal(severity: &str, state: &str) -> Vec<u8> {
    let body = format!("SX\0V{severity}\0C{state}\0Mno\0Dwhy\0Hdo\0\0");
    message(b'E', body.as_bytes())
}

pub(crate) fn logins() -> Vec<Vec<u8>> {
    let sasl = message(b'R', b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
    let challenge = message(b'R', b"\0\0\0\x0br=abc,s=c2FsdA==,i=4096");
    let proof = message(b'R', b"\0\0\0\x0cv=AAAA");
    vec![
        seed(&[0, 0], &let_in()),
        seed(&[1, 3], &[message(b'R', b"\0\0\0\x05salt"), let_in()].concat()),
        seed(&[9, 2], &[message(b'R', b"\0\0\0\x03"), let_in()].concat()),
        seed(&[1, 5], &[sasl, challenge, proof, let_in()].concat()),
        seed(&[0, 1], &refusal("FATAL", "28P01")),
        seed(&[2, 1], b"S"),
        seed(&[2, 1], b"N"),
    ]
}

fn rows() -> Vec<u8> {
    [
        message(b'T', &[&[0, 1, b'v', 0][..], &[0; 18]].concat()),
        message(b'D', b"\0\x01\0\0\0\x02ab"),
        message(b'N', b"SNOTICE\0C00000\0Mx\0\0"),
        message(b'D', b"\0\x01\xff\xff\xff\xff"),
        message(b'C', b"SELECT 2\0"),
        message(b'Z', b"T"),
    ]
    .concat()
}

pub(crate) fn answers() -> Vec<Vec<u8>> {
    let error = [refusal("ERROR", "40001"), message(b'Z', b"E")].concat();
    let prepared = [
        message(b'1', b""),
        message(b't', b"\0\x01\0\0\0\x17"),
        message(b'n', b""),
        message(b'Z', b"I"),
    ]
    .concat();
    let together = [
        message(b'2', b""),
        message(b'C', b"UPDATE 1\0"),
        message(b'2', b""),
        message(b'D', b"\0\x01\0\0\0\x02ab"),
        message(b'C', b"SELECT 1\0"),
        message(b'Z', b"I"),
    ]
    .concat();
    let refused = [
        message(b'2', b""),
        message(b'C', b"BEGIN\0"),
        refusal("ERROR", "23505"),
        message(b'Z', b"E"),
    ]
    .concat();
    let copy = [
        message(b'H', &[0; 3]),
        message(b'd', b"1\n"),
        message(b'c', b""),
        message(b'C', b"COPY 1\0"),
        message(b'Z', b"I"),
    ]
    .concat();
    [rows(), error, copy, refusal("FATAL", "57P01"), message(b'G', &[0; 3])]
        .into_iter()
        .flat_map(|stream| [seed(&[0, 3], &stream), seed(&[1, 0], &stream)])
        .chain([seed(&[2, 1], &prepared), seed(&[4, 1], &together), seed(&[4, 2], &refused)])
        .collect()
}

pub(crate) fn sessions() -> Vec<Vec<u8>> {
    let prepared = [
        message(b'1', b""),
        message(b't', b"\0\x01\0\0\0\x17"),
        message(b'T', &[&[0, 1, b'c', 0][..], &[0; 18]].concat()),
        message(b'Z', b"I"),
    ]
    .concat();
    let error = [refusal("ERROR", "40001"), message(b'Z', b"E")].concat();
    let point = [let_in(), prepared, message(b'2', b""), rows(), error.clone()].concat();
    let three = [
        [message(b'1', b""), message(b't', b"\0\0"), message(b'n', b"")].concat(),
        [
            message(b'1', b""),
            message(b't', b"\0\x01\0\0\0\x17"),
            message(b'T', &[&[0, 1, b'c', 0][..], &[0; 18]].concat()),
        ]
        .concat(),
        [message(b'1', b""), message(b't', b"\0\0"), message(b'n', b"")].concat(),
        [
            message(b'1', b""),
            message(b't', b"\0\0"),
            message(b'T', &[&[0, 1, b'c', 0][..], &[0; 18]].concat()),
        ]
        .concat(),
        message(b'Z', b"I"),
    ]
    .concat();
    let done = |tag: &[u8]| [message(b'2', b""), message(b'C', tag)].concat();
    let pipeline = [
        let_in(),
        three,
        done(b"BEGIN\0"),
        done(b"SELECT 1\0"),
        message(b'1', b""),
        done(b"UPDATE 1\0"),
        done(b"COMMIT\0"),
        message(b'Z', b"I"),
        message(b'2', b""),
        rows(),
        done(b"BEGIN\0"),
        message(b'2', b""),
        error.clone(),
        message(b'C', b"ROLLBACK\0"),
        message(b'Z', b"I"),
    ]
    .concat();
    vec![
        seed(&[0, 32, 5], &pipeline),
        seed(&[0, 3, 5], &point),
        seed(&[0, 3 + 16, 0], &[let_in(), rows(), rows()].concat()),
    ]
}
