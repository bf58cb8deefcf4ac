//! A pgbouncer in transaction mode before a cluster, where there is one: in `PG_TOPDOWN_PGBOUNCER` (a directory
//! that Debian's packages were unpacked into, as `make test-long` does it), or installed.

use crate::cluster::{command, wait_until, Cluster};
use postgres::{Config, NoTls};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

/// A pgbouncer, until it is dropped.
pub struct Bouncer {
    child: Child,
    config: Config,
}

impl Bouncer {
    /// Before database `postgres`, into which it lets everybody as `role`. None if there is no pgbouncer.
    pub fn start(cluster: &Cluster, role: &str) -> Option<Bouncer> {
        let unpacked = env::var("PG_TOPDOWN_PGBOUNCER").unwrap_or_default();
        let places = [format!("{unpacked}/usr/sbin/pgbouncer"), "/usr/sbin/pgbouncer".into()];
        let program = places.iter().map(PathBuf::from).find(|program| program.exists())?;
        let socket = cluster.socket();
        let dir = cluster.path("bouncer");
        let made = cluster.command("/bin/mkdir", &["-m", "755", &dir.display().to_string()]);
        assert!(made.status.success(), "{made:?}");
        // A copy of our own: the server's user may not get to the original.
        let own = dir.join("pgbouncer");
        fs::copy(program, &own).expect("a copy of pgbouncer");
        for library in fs::read_dir(format!("{unpacked}/usr/lib/x86_64-linux-gnu")).into_iter().flatten() {
            let library = library.expect("a library").path();
            if library.file_name().is_some_and(|name| name.to_string_lossy().contains(".so")) {
                fs::copy(&library, dir.join(library.file_name().expect("a name"))).expect("a copy");
            }
        }
        let ini = dir.join("ini");
        let settings = format!(
            "[databases]\npostgres = host={socket} user={role}\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n\
             unix_socket_dir = {}\nauth_type = any\npool_mode = transaction\nserver_lifetime = 5\n",
            dir.display()
        );
        fs::write(&ini, settings).expect("settings");
        let mut pgbouncer = command(&own, Some("KILL"));
        pgbouncer.arg("-q").arg(&ini).env("LD_LIBRARY_PATH", &dir);
        pgbouncer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut child = pgbouncer.spawn().expect("pgbouncer");
        let mut config = Config::new();
        config.host(&dir.display().to_string()).port(6432).user(role).dbname("postgres");
        wait_until("pgbouncer lets sessions in", || {
            assert!(child.try_wait().expect("a child").is_none(), "pgbouncer has ended");
            config.connect(NoTls).is_ok()
        });
        Some(Bouncer { child, config })
    }

    /// How to get in.
    pub fn config(&self) -> Config {
        self.config.clone()
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        // Not by a signal that it may have been told to ignore, as programs in the background are.
        let _sent = self.child.kill();
        let _ended = self.child.wait();
    }
}
