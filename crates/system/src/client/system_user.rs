use super::LoginEnvironment;
use std::os::unix::fs::MetadataExt;

/// The user's login name: from the environment, or from the list of users, since services and
/// containers often have an empty environment.
pub(super) fn system_user(environment: &LoginEnvironment<'_>) -> Option<String> {
    let from_environment = ["USER", "LOGNAME"]
        .iter()
        .filter_map(|name| (environment.variable)(name)?.into_string().ok())
        .find(|name| !name.is_empty());
    from_environment.or_else(|| {
        let uid = std::fs::metadata("/proc/self").ok()?.uid();
        user_with_id(&std::fs::read_to_string("/etc/passwd").ok()?, uid)
    })
}

pub(super) fn user_with_id(passwd: &str, uid: u32) -> Option<String> {
    let uid = uid.to_string();
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_number() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nbroken\nbench:x:1000:1000::/home:/bin/sh\n";
        assert_eq!(user_with_id(passwd, 1000).as_deref(), Some("bench"));
        assert_eq!(user_with_id(passwd, 7), None);
    }
}
