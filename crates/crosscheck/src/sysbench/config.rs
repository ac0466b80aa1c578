use super::Driver;
use model::{Failure, FailureKind};

/// The longest line that sysbench reads from a configuration file, with its end.
const LONGEST_LINE: usize = 255;

/// A configuration file that holds the password, which goes to sysbench's standard input: on its
/// command line everybody on the host could read it, and a file would outlive a crash.
///
/// Sysbench knows no escapes, so a password is put in the quotes that it does not hold itself.
pub(super) fn password_line(driver: &Driver, password: &[u8]) -> Result<Vec<u8>, Failure> {
    if password.is_empty() {
        return Ok(Vec::new());
    }
    let quote = [b'\'', b'"'].into_iter().find(|quote| !password.contains(quote));
    let plain = !password.iter().any(|byte| matches!(byte, b'\n' | b'\0'));
    match quote.filter(|_| plain) {
        Some(quote) => {
            let mut line = format!("{}-password=", driver.name()).into_bytes();
            line.push(quote);
            line.extend_from_slice(password);
            line.extend_from_slice(&[quote, b'\n']);
            if line.len() <= LONGEST_LINE { Ok(line) } else { Err(unfit("it is too long")) }
        }
        None => Err(unfit("it holds a line feed, or both kinds of quotes")),
    }
}

fn unfit(why: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("the password cannot be given to sysbench: {why}"),
        "use an account with a plainer password, or set cross_check = false",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_stands_in_quotes_that_it_does_not_hold() {
        let (mysql, pgsql) =
            (Driver::Mysql { compression: false }, Driver::Pgsql(crate::libpq::Encryption::Off));
        assert_eq!(password_line(&mysql, b"").unwrap(), b"");
        assert_eq!(password_line(&mysql, b"a b,#=").unwrap(), b"mysql-password='a b,#='\n");
        assert_eq!(password_line(&pgsql, b"it's").unwrap(), b"pgsql-password=\"it's\"\n");
    }

    #[test]
    fn what_sysbench_cannot_read_is_refused_without_being_shown() {
        for password in ["'\"secret", "secret\nline", &"secret".repeat(50)] {
            let driver = Driver::Mysql { compression: false };
            let failure = password_line(&driver, password.as_bytes()).unwrap_err();
            assert!(!format!("{failure:?}").contains("secret"));
        }
    }
}
