//! Temporary files of PostgreSQL's: they lie where `temp_tablespaces` says, count towards `temp_file_limit`, are told of
//! by `log_temp_files`, and are gone with the transaction, however it ends.

use super::subtransaction::lasting;
use pgrx::pg_sys;
use std::cell::Cell;
use std::ffi::c_int;
use topdown::table::Tape;

/// A temporary file, of any size.
#[derive(Debug)]
pub struct Temporary {
    file: *mut pg_sys::BufFile,
    end: Cell<u64>,
}

/// Where one of the physical files ends that make up a large one: MAX_PHYSICAL_FILESIZE.
const SEGMENT: u64 = 1 << 30;

impl Temporary {
    /// Makes an empty file, which is the (sub)transaction's: what is current within a statement of it ends
    /// sooner than a verb may need the file.
    pub fn new() -> Temporary {
        let (lasting_memory, lasting_owner) = lasting();
        // SAFETY: there is a transaction wherever a verb is. After an error PostgreSQL sets both itself.
        let file = unsafe {
            let (memory, owner) = (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner);
            pg_sys::CurrentMemoryContext = lasting_memory;
            pg_sys::CurrentResourceOwner = lasting_owner;
            let file = pg_sys::BufFileCreateTemp(false);
            pg_sys::CurrentMemoryContext = memory;
            pg_sys::CurrentResourceOwner = owner;
            file
        };
        Temporary { file, end: Cell::new(0) }
    }

    /// Writes at the end; where that was.
    pub fn append(&self, bytes: &[u8]) -> u64 {
        let at = self.end.get();
        self.seek(at);
        // SAFETY: as many bytes as there are, which are only read.
        unsafe { pg_sys::BufFileWrite(self.file, bytes.as_ptr().cast_mut().cast(), bytes.len()) };
        self.end.set(at + bytes.len() as u64);
        at
    }

    fn seek(&self, at: u64) {
        let (segment, offset) = ((at / SEGMENT) as c_int, (at % SEGMENT) as i64);
        // SAFETY: an open file; where it does not go so far it stays where it is, and the answer says so.
        if unsafe { pg_sys::BufFileSeek(self.file, segment, offset, SEEK_SET) } != 0 {
            panic!("a temporary file ends before byte {at}");
        }
    }
}

const SEEK_SET: c_int = 0;

impl Tape for Temporary {
    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), topdown::Error> {
        self.seek(at);
        // SAFETY: as many bytes as there is room for.
        let read = unsafe { pg_sys::BufFileRead(self.file, bytes.as_mut_ptr().cast(), bytes.len()) };
        assert_eq!(read, bytes.len(), "a temporary file has shrunk");
        Ok(())
    }
}

impl Drop for Temporary {
    /// Closes the file; after an error PostgreSQL does, since what is in its buffer would be written out
    /// here, which is what may just have failed.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: an open file, that nobody else has: what ends a subtransaction before its files are closed is an
            // error that unwinds.
            unsafe { pg_sys::BufFileClose(self.file) };
        }
    }
}
