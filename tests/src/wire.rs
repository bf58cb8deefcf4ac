//! A wire between two servers: a socket that passes on what it gets to a cluster's own, counts what comes back, and can be
//! made to break after so many bytes.

use crate::cluster::Cluster;
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

/// What is said of a wire by all that pass on.
struct Meter {
    bytes: AtomicU64,
    most: AtomicU64,
}

/// A wire, until it is dropped.
pub struct Wire {
    dir: PathBuf,
    meter: Arc<Meter>,
}

impl Wire {
    /// To a cluster.
    #[must_use]
    pub fn to(cluster: &Cluster) -> Wire {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = env::temp_dir().join(format!("pgtd.{}.w{number}", process::id()));
        fs::create_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        let socket = dir.join(SOCKET);
        let listener = UnixListener::bind(&socket).expect("a socket of our own");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("a directory of our own");
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o777)).expect("a socket of our own");
        let meter = Arc::new(Meter { bytes: AtomicU64::new(0), most: AtomicU64::new(u64::MAX) });
        let (far, of_all) = (Path::new(&cluster.socket()).join(SOCKET), meter.clone());
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // Nobody there: the connection ends, as it would without us.
                let Ok(far) = UnixStream::connect(&far) else { continue };
                let both = || Some((near.try_clone().ok()?, far.try_clone().ok()?));
                let (Some(there), Some(back)) = (both(), both()) else { continue };
                let meter = of_all.clone();
                thread::spawn(move || pass(there.0, there.1, None));
                thread::spawn(move || pass(back.1, back.0, Some(&meter)));
            }
        });
        Wire { dir, meter }
    }

    /// The directory of its socket.
    #[must_use]
    pub fn socket(&self) -> String {
        self.dir.display().to_string()
    }

    /// How many bytes have come from the cluster since this was asked last.
    pub fn bytes(&self) -> u64 {
        self.meter.bytes.swap(0, Ordering::Relaxed)
    }

    /// Breaks after so many further bytes; none: holds again.
    pub fn breaks_after(&self, bytes: Option<u64>) {
        let so_far = self.meter.bytes.load(Ordering::Relaxed);
        self.meter.most.store(bytes.map_or(u64::MAX, |bytes| so_far + bytes), Ordering::Relaxed);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.dir);
    }
}

/// What PostgreSQL calls its socket.
const SOCKET: &str = ".s.PGSQL.5432";

/// Passes on what comes, until one of both ends, or the wire breaks.
fn pass(mut from: UnixStream, mut to: UnixStream, meter: Option<&Meter>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if let Some(meter) = meter {
            let bytes = meter.bytes.fetch_add(read as u64, Ordering::Relaxed) + read as u64;
            if bytes > meter.most.load(Ordering::Relaxed) {
                break;
            }
        }
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ended = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
