//! Clusters of a test's own: for tests that need a standby, another `wal_level`, or a server that dies.
//!
//! Made of the programs in `PG_TOPDOWN_BINDIR`, the installation of `make test` (scripts/cluster.sh), in which our
//! extension is, and of a copy of `PG_TOPDOWN_INITDB`, what initdb made, where there is one. A cluster lies in a directory below /tmp, because a socket's path must be short, listens on that
//! socket alone, and goes with its directory when it is dropped, also when a test fails. The server is a child
//! of the thread that started it and gets a signal when that ends, whatever ended it: so a test that is killed
//! leaves no server behind.

use std::env;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres::{Client, Config, NoTls};

/// How long something may take that is waited for. Long, because nothing is measured by it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until a condition holds, and fails the test if it never does.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// How a server is told to stop: the signals of `pg_ctl stop -m`.
#[derive(Debug, Clone, Copy)]
pub enum Stop {
    /// Sessions are ended, and all is written.
    Fast,
    /// As a crash.
    Immediate,
}

/// A cluster, until it is dropped.
pub struct Cluster {
    dir: PathBuf,
    server: Option<Child>,
}

impl Cluster {
    /// A new cluster that runs, with these lines in its `postgresql.conf`. `None`: there is nothing to make one
    /// of, and the test has been announced as skipped.
    #[must_use]
    pub fn start(settings: &str) -> Option<Cluster> {
        if bindir().is_none() {
            crate::skip("no PG_TOPDOWN_BINDIR to make a cluster of: run `make test`");
            return None;
        }
        let mut cluster = Cluster::directory();
        match env::var("PG_TOPDOWN_INITDB") {
            Ok(made) => {
                let copied = cluster.command("cp", &["-a", &made, &cluster.data()]);
                assert!(copied.status.success(), "cp {made}: {copied:?}");
            }
            Err(_) => {
                let how = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
                cluster.succeeds("initdb", &[&how[..], &[&cluster.data()]].concat());
            }
        }
        cluster.configure(
            "listen_addresses = ''\nfsync = off\njit = off\nfull_page_writes = off\nautovacuum_naptime = 1s",
        );
        cluster.configure(settings);
        cluster.restart();
        Some(cluster)
    }

    /// A standby of a cluster, streaming from it, with these further settings.
    pub fn standby(&self, settings: &str) -> Cluster {
        let mut standby = Cluster::directory();
        let from =
            ["-h", &self.socket(), "-U", "postgres", "-c", "fast", "--no-sync", "-R", "-D", &standby.data()];
        self.succeeds("pg_basebackup", &from);
        standby.configure(settings);
        standby.restart();
        standby
    }

    /// A directory that only the server's user writes to, and that everybody may pass.
    fn directory() -> Cluster {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = env::temp_dir().join(format!("pgtd.{}.{number}", process::id()));
        fs::create_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("a directory of our own");
        let cluster = Cluster { dir, server: None };
        if let Some(user) = server_user() {
            let owner = format!("{user}:{}", group(user));
            let chown = Command::new("chown").arg(owner).arg(&cluster.dir).status();
            assert!(chown.is_ok_and(|status| status.success()), "chown {}", cluster.dir.display());
        }
        cluster
    }

    /// Where its data is.
    pub fn data(&self) -> String {
        self.path("data").display().to_string()
    }

    /// The directory of its socket.
    pub fn socket(&self) -> String {
        self.dir.display().to_string()
    }

    /// A path beside its data, to which the server's user may write.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// What the server has said so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.path("log")).unwrap_or_default()).into_owned()
    }

    /// Adds lines to its `postgresql.conf`.
    pub fn configure(&self, settings: &str) {
        let path = self.path("data/postgresql.conf");
        let mut file = fs::OpenOptions::new().append(true).open(path).expect("postgresql.conf");
        writeln!(file, "{settings}").expect("postgresql.conf");
    }

    /// Starts the server, and waits until it lets sessions in.
    pub fn restart(&mut self) {
        assert!(self.server.is_none(), "the server runs");
        let log = fs::OpenOptions::new().append(true).create(true).open(self.path("log")).expect("the log");
        let mut postgres = as_server("postgres", Some("QUIT"));
        postgres.args(["-D", &self.data(), "-k", &self.socket()]);
        postgres.stdin(Stdio::null()).stdout(log.try_clone().expect("the log")).stderr(log);
        self.server = Some(postgres.spawn().expect("setpriv, of util-linux"));
        let start = Instant::now();
        while self.config().connect(NoTls).is_err() {
            let ended = self.server.as_mut().and_then(|server| server.try_wait().expect("a child"));
            assert!(ended.is_none() && start.elapsed() < PATIENCE, "no server: {ended:?}\n{}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the server, and waits until it has gone.
    pub fn stop(&mut self, how: Stop) {
        let Some(mut server) = self.server.take() else { return };
        let signal = match how {
            Stop::Fast => "-INT",
            Stop::Immediate => "-QUIT",
        };
        let _sent =
            Command::new("kill").args([signal, &server.id().to_string()]).stderr(Stdio::null()).status();
        let _ended = server.wait();
    }

    /// How to get in, as the superuser, into database `postgres` unless another is said.
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config.host(&self.socket()).user("postgres").dbname("postgres");
        config
    }

    /// A session of the superuser.
    pub fn session(&self) -> Client {
        self.session_in("postgres", "postgres")
    }

    /// A session in a database, as a role.
    pub fn session_in(&self, database: &str, role: &str) -> Client {
        let config = self.config().dbname(database).user(role).clone();
        config.connect(NoTls).unwrap_or_else(|error| panic!("{config:?}: {error}\n{}", self.log()))
    }

    /// Runs a program of PostgreSQL's as the server's user, on this cluster.
    pub fn run(&self, program: &str, args: &[&str]) -> Output {
        let mut command = as_server(program, None);
        command.env("PGHOST", self.socket()).env("PGUSER", "postgres").args(args);
        command.output().unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// Runs any other program as the server's user.
    pub fn command(&self, program: &str, args: &[&str]) -> Output {
        let output = command(Path::new(program), None).args(args).output();
        output.unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// A program of PostgreSQL's that has to succeed; what it printed.
    pub fn succeeds(&self, program: &str, args: &[&str]) -> String {
        let output = self.run(program, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?}: {}\n{said}", output.status);
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() && self.path("log").exists() {
            let log = self.log();
            let from = log.char_indices().rev().nth(6000).map_or(0, |(at, _)| at);
            eprintln!("The last of {}:\n{}", self.path("log").display(), &log[from..]);
        }
        self.stop(Stop::Immediate);
        let _gone = fs::remove_dir_all(&self.dir);
    }
}

/// The programs' directory.
pub fn bindir() -> Option<PathBuf> {
    env::var_os("PG_TOPDOWN_BINDIR").map(PathBuf::from)
}

/// Whom the server runs as: nobody else than we, unless we are root.
pub fn server_user() -> Option<&'static str> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let known = |user: &str| Command::new("id").arg(user).output().is_ok_and(|id| id.status.success());
    is_root.then(|| if known("postgres") { "postgres" } else { "nobody" })
}

fn group(user: &str) -> String {
    let id = Command::new("id").args(["-g", user]).output().expect("id");
    String::from_utf8_lossy(&id.stdout).trim().to_string()
}

/// A command that runs as the server's user in a clean environment, as scripts/cluster.sh does it, and gets
/// a signal when the thread ends that started it.
pub fn command(program: &Path, at_our_end: Option<&str>) -> Command {
    let mut command = Command::new("setpriv");
    if let Some(user) = server_user() {
        command.args([&format!("--reuid={user}"), &format!("--regid={}", group(user)), "--init-groups"]);
    }
    if let Some(signal) = at_our_end {
        command.arg(format!("--pdeathsig={signal}"));
    }
    command.arg("--").arg(program).current_dir("/").env_clear();
    command.envs([("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("RUST_BACKTRACE", "1")]);
    command
}

/// A program of PostgreSQL's, as the server's user, with the libraries that it finds where it comes from.
pub fn as_server(program: &str, at_our_end: Option<&str>) -> Command {
    let bindir = bindir().expect("PG_TOPDOWN_BINDIR");
    let mut command = command(&bindir.join(program), at_our_end);
    command.env("LD_LIBRARY_PATH", libraries(&bindir));
    command
}

/// Where the originals of copied programs find their libraries: it may be beside them.
fn libraries(bindir: &Path) -> String {
    let path = bindir.display().to_string();
    let original = path.split_once("/tree/").map_or(path.clone(), |(_, original)| format!("/{original}"));
    let ldd = Command::new("ldd").args([format!("{original}/postgres"), format!("{original}/psql")]).output();
    let listed = ldd.map(|ldd| String::from_utf8_lossy(&ldd.stdout).into_owned()).unwrap_or_default();
    let paths = listed.lines().filter_map(|line| line.split_once(" => ")?.1.split_once(" ("));
    let mut dirs: Vec<&str> = paths.filter_map(|(path, _)| Some(path.rsplit_once('/')?.0)).collect();
    dirs.sort_unstable();
    dirs.dedup();
    dirs.join(":")
}
