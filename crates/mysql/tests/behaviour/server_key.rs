//! The exchange of a password by the server's RSA key.

use crate::support::{CHALLENGE, flag, greeting, ok, packet};
use mysql::protocol::{Login, LoginError, LoginOptions, LoginStep, ServerKey};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs openssl with that input and returns its output.
fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the package openssl is installed");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn options(password: &[u8]) -> LoginOptions {
    LoginOptions {
        user: "bench".into(),
        password: password.to_vec(),
        database: None,
        tls: false,
        compression: false,
        local_transport: false,
        local_infile: false,
        server_key: ServerKey::Refuse,
        may_reveal: true,
    }
}

/// A login with that password to which the server said that it needs the password and then sent
/// that key; what the client answers.
fn answer_to_key(password: &[u8], key: &[u8]) -> Result<Vec<u8>, LoginError> {
    let mut login =
        Login::new(LoginOptions { server_key: ServerKey::Request, ..options(password) });
    let mut sent = Vec::new();
    let hello = greeting("8.0.40", flag::MYSQL_8, 0, "caching_sha2_password");
    login.receive(&packet(0, &hello), &mut sent)?;
    sent.clear();
    login.receive(&packet(2, &[1, 4]), &mut sent)?;
    assert_eq!(sent, packet(3, &[2]), "the client asks for the key");
    sent.clear();
    login.receive(&packet(4, &[&[1], key].concat()), &mut sent)?;
    let answer = sent.split_off(4);
    let step = login.receive(&packet(6, &ok(0, 0, 2)), &mut sent)?;
    assert!(matches!(step, LoginStep::Done { .. }));
    Ok(answer)
}

#[test]
fn the_server_can_decrypt_the_password() {
    let directory = std::env::temp_dir().join(format!("server-key-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let private = directory.join("private.pem");
    let private = private.to_str().unwrap();
    openssl(&["genrsa", "-out", private, "2048"], b"");
    for form in ["-pubout", "-RSAPublicKey_out"] {
        let public = openssl(&["rsa", "-in", private, form], b"");
        let encrypted = answer_to_key(b"correct horse", &public).unwrap();
        assert_eq!(encrypted.len(), 256);
        let decrypt = ["pkeyutl", "-decrypt", "-inkey", private];
        let oaep = ["-pkeyopt", "rsa_padding_mode:oaep"];
        let masked = openssl(&[&decrypt[..], &oaep[..]].concat(), &encrypted);
        let plain: Vec<u8> =
            masked.iter().zip(CHALLENGE.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
        assert_eq!(plain, b"correct horse\0");
        // 256 bytes hold a password of 213 with its end mark and the padding.
        assert!(answer_to_key(&[b'p'; 213], &public).is_ok());
        let refused = answer_to_key(&[b'p'; 214], &public).unwrap_err();
        assert_eq!(refused, LoginError::BadServerKey("too short for this password"));
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Public key of a new pair of so many bits.
fn new_key(bits: &str) -> Vec<u8> {
    let private = openssl(&["genrsa", bits], b"");
    openssl(&["rsa", "-pubout"], &private)
}

#[test]
fn with_a_pinned_key_none_is_asked_for() {
    for plugin in ["caching_sha2_password", "sha256_password"] {
        let mut login = Login::new(LoginOptions {
            server_key: ServerKey::Pinned(new_key("2048")),
            ..options(b"secret")
        });
        let mut sent = Vec::new();
        login
            .receive(&packet(0, &greeting("8.0.40", flag::MYSQL_8, 0, plugin)), &mut sent)
            .unwrap();
        sent.clear();
        let question = match plugin {
            "caching_sha2_password" => vec![1, 4],
            _ => [b"\xFEsha256_password\0", &CHALLENGE[..], &[0]].concat(),
        };
        login.receive(&packet(2, &question), &mut sent).unwrap();
        assert_eq!(sent.len(), 4 + 256, "the password, encrypted with the pinned key");
    }
}

#[test]
fn a_pinned_key_that_is_none_is_refused_before_anything_is_encrypted() {
    let pem = b"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n".to_vec();
    let mut login =
        Login::new(LoginOptions { server_key: ServerKey::Pinned(pem), ..options(b"secret") });
    let hello = greeting("8.0.40", flag::MYSQL_8, 0, "caching_sha2_password");
    let refused = login.receive(&packet(0, &hello), &mut Vec::new()).unwrap_err();
    assert_eq!(refused, LoginError::BadServerKey("not an RSA key"));
}

fn pem(base64: &str) -> Vec<u8> {
    format!("-----BEGIN PUBLIC KEY-----\n{base64}\n-----END PUBLIC KEY-----\n").into_bytes()
}

#[test]
fn keys_that_are_cut_or_of_another_kind_are_refused() {
    // An Ed25519 key, nothing, a lone tag, a length that goes past the end, a length of lengths.
    let broken = [
        "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
        "",
        "MA==",
        "MIIB",
        "MP8=",
    ];
    for key in broken {
        let refused = answer_to_key(b"secret", &pem(key)).unwrap_err();
        assert_eq!(refused, LoginError::BadServerKey("not an RSA key"), "{key}");
    }
    let refused = answer_to_key(b"secret", b"no key at all").unwrap_err();
    assert_eq!(refused, LoginError::BadServerKey("not a PEM file"));
}
