use super::{shared_directory, succeed};

/// A directory with the certificate of an authority, `ca.pem`, and `server.pem` with `server.key`
/// that it signed for the name `localhost`.
pub fn certificates() -> tempfile::TempDir {
    certificates_for("DNS:localhost")
}

/// The same for that name or address, such as `IP:10.0.0.1`.
pub fn certificates_for(name: &str) -> tempfile::TempDir {
    let directory = shared_directory();
    let openssl = |arguments: &str| {
        succeed("openssl", directory.path(), &arguments.split(' ').collect::<Vec<_>>());
    };
    let key = "-newkey rsa:2048 -nodes";
    openssl(&format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=Tests"));
    openssl(&format!("req {key} -keyout server.key -out request.pem -subj /CN=localhost"));
    let names = format!("subjectAltName={name}\n");
    std::fs::write(directory.path().join("names"), names).unwrap();
    openssl(
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
         -extfile names -out server.pem",
    );
    succeed("chmod", directory.path(), &["644", "server.key"]);
    directory
}
