//! Who ran bots from this data directory before. A node that starts again where one has ended need not wait until the
//! leases of that one run out.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const NAME: &str = "bots.owner";
/// Nobody's name with its place is longer.
const MOST_BYTES: u64 = 256;
/// Another one after each start of the machine.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The name that this process goes by, for the one after it. It is locked for as long as the process lives.
pub struct Mark(File);

impl Mark {
    /// None where another process of the service has the directory.
    pub fn take(data_dir: &Path) -> std::io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let file = options.open(data_dir.join(NAME))?;
        // The lock goes with its process, so that whoever has it knows that the one before has ended.
        Ok(file.try_lock().is_ok().then_some(Self(file)))
    }

    /// Who had it before. Nobody where this is a copy of the file, or the machine was started since: whoever is named there may
    /// be alive elsewhere.
    pub fn before(&mut self) -> std::io::Result<Option<String>> {
        let mut text = String::new();
        self.0.rewind()?;
        (&self.0).take(MOST_BYTES).read_to_string(&mut text)?;
        let place = self.place()?;
        let named = text.split_once(' ').filter(|(_, there)| *there == place);
        Ok(named.map(|(name, _)| name.to_owned()))
    }

    pub fn leave(&mut self, name: &str) -> std::io::Result<()> {
        let text = format!("{name} {}", self.place()?);
        self.0.rewind()?;
        self.0.set_len(0)?;
        self.0.write_all(text.as_bytes())
    }

    fn place(&self) -> std::io::Result<String> {
        let file = self.0.metadata()?;
        let boot = std::fs::read_to_string(BOOT).unwrap_or_default();
        Ok(format!("{}:{} {}", file.dev(), file.ino(), boot.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_later_learns_who_was_there_and_is_certain_that_they_are_gone() {
        let folder = std::env::temp_dir().join(format!("symbolon-predecessor-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut first = Mark::take(&folder).unwrap().unwrap();
        assert_eq!(first.before().unwrap(), None);
        first.leave("00000000000000aa").unwrap();
        assert!(Mark::take(&folder).unwrap().is_none(), "it is still there");
        drop(first);
        let mut second = Mark::take(&folder).unwrap().unwrap();
        assert_eq!(second.before().unwrap().as_deref(), Some("00000000000000aa"));
        second.leave("bb").unwrap();
        assert_eq!(second.before().unwrap().as_deref(), Some("bb"));
        drop(second);
        // A copy of the folder is nobody's place yet: whoever is named in it may be alive.
        let copy = folder.join("copy");
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(folder.join(NAME), copy.join(NAME)).unwrap();
        assert_eq!(Mark::take(&copy).unwrap().unwrap().before().unwrap(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
