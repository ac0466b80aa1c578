//! Where the original looks for Lua scripts: as 1.0 fills Lua's `package.path`.

use super::builtin;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where scripts are that a build of the original by hand, or a package, installs.
const INSTALLED: [&str; 2] = ["/usr/local/share/sysbench", "/usr/share/sysbench"];

/// What stands for a module's name in a place, and what parts the places.
const NAME: &str = "?";
const BETWEEN: &str = ";";

/// The places in which a module is looked for, in their order.
pub(super) struct ScriptPath(Vec<String>);

impl ScriptPath {
    /// That of a sysbench which this process would become.
    pub(super) fn of_environment() -> Self {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let programs = builtin::installed().flat_map(|program| {
            // A link in a directory of links leads to where the rest of the package is.
            let real = program.canonicalize().ok();
            [Some(program), real].into_iter().flatten()
        });
        let beside =
            programs.filter_map(|program| Some(program.parent()?.parent()?.join("share/sysbench")));
        let installed: Vec<PathBuf> = beside.chain(INSTALLED.map(PathBuf::from)).collect();
        Self::new(env::var_os("LUA_PATH"), home.as_deref(), &installed)
    }

    /// `LUA_PATH` in place of the usual places, which it has where two semicolons are.
    fn new(lua_path: Option<OsString>, home: Option<&Path>, installed: &[PathBuf]) -> Self {
        let mut usual: Vec<String> =
            ["./?.lua", "./?/init.lua", "./src/lua/?.lua"].map(str::to_owned).into();
        for under in home.iter().flat_map(|home| ["5.1/", ""].map(|version| (home, version))) {
            let (home, version) = (under.0.display(), under.1);
            usual.push(format!("{home}/.luarocks/share/lua/{version}?.lua"));
            usual.push(format!("{home}/.luarocks/share/lua/{version}?/init.lua"));
        }
        usual.extend(
            ["/usr/local/share/lua/5.1/?.lua", "/usr/share/lua/5.1/?.lua"].map(str::to_owned),
        );
        usual.extend(installed.iter().map(|directory| format!("{}/?.lua", directory.display())));
        let usual = usual.join(BETWEEN);
        let path = match lua_path {
            Some(given) => given.to_string_lossy().replace(";;", &format!(";{usual};")),
            None => usual,
        };
        let places = path.split(BETWEEN).filter(|place| !place.is_empty());
        Self(places.map(str::to_owned).collect())
    }

    #[cfg(test)]
    pub(super) fn of_places(places: &[PathBuf]) -> Self {
        Self(places.iter().map(|place| place.display().to_string()).collect())
    }

    /// The file that `require` would take for a module.
    pub(super) fn find(&self, module: &str) -> Option<PathBuf> {
        let module = module.replace('.', "/");
        let files = self.0.iter().map(|place| PathBuf::from(place.replace(NAME, &module)));
        files.into_iter().find(|file| file.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_looked_for_where_the_original_looks() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let [home, share] = ["home", "share"].map(path);
        let lua_path = |text: &str| {
            let text = text.replace("HERE", &directory.path().display().to_string());
            ScriptPath::new(Some(text.into()), Some(&home), std::slice::from_ref(&share))
        };
        let usual = ScriptPath::new(None, Some(&home), std::slice::from_ref(&share));
        for name in ["share/a.lua", "mine/a.lua", "mine/b", "home/.luarocks/share/lua/5.1/c.lua"] {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), "").unwrap();
        }
        assert_eq!(usual.find("a"), Some(path("share/a.lua")));
        assert_eq!(usual.find("c"), Some(path("home/.luarocks/share/lua/5.1/c.lua")));
        assert_eq!(usual.find("b"), None);
        let mine = lua_path("HERE/?;HERE/mine/?;HERE/mine/?.lua");
        assert_eq!(mine.find("a"), Some(path("mine/a.lua")));
        assert_eq!(mine.find("b"), Some(path("mine/b")));
        assert_eq!(mine.find("c"), None, "the usual places are no longer looked at");
        assert_eq!(mine.find("mine.a"), None);
        assert_eq!(lua_path("HERE/?.lua").find("mine.a"), Some(path("mine/a.lua")));
        assert_eq!(lua_path("HERE/other/?.lua;;").find("a"), Some(path("share/a.lua")));
        assert_eq!(lua_path("HERE/mine/?.lua;;").find("a"), Some(path("mine/a.lua")));
    }
}
