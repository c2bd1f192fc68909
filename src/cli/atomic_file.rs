//! Files that are written beside their place and put there when they are whole: whoever looks
//! meanwhile, or after a fault, finds the old one or the new one.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

use clearance_formats::folder_of;
use tempfile::NamedTempFile;

/// A file on its way to its place.
pub(super) struct AtomicFile {
    to: WriteDestination,
}

enum WriteDestination {
    /// Written beside the place.
    Beside(BufWriter<NamedTempFile>, PathBuf),
    /// A device or a pipe, or in a folder where nothing new can be made: there is nothing to put it
    /// in place of.
    Straight(BufWriter<File>),
}

impl AtomicFile {
    /// Begins a file of this name.
    pub(super) fn begin(path: &Path) -> Result<Self> {
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            return Self::straight(path);
        }
        // A link stays a link: what it leads to is replaced.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = folder_of(&place);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".report-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Permissions of the file that is replaced, or the default ones of a new file.
            let mode = known
                .as_ref()
                .map_or(0o666, |known| known.permissions().mode());
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        match builder.tempfile_in(folder) {
            Ok(file) => Ok(Self {
                to: WriteDestination::Beside(BufWriter::new(file), place),
            }),
            Err(e) if e.kind() == ErrorKind::PermissionDenied && known.is_some() => {
                Self::straight(path)
            }
            Err(e) => Err(e),
        }
    }

    /// Whether a file can be made there, as far as that shows before it is written. What is there
    /// already is not touched.
    pub(super) fn can_begin(path: &Path) -> Result<()> {
        if !path.is_dir() && path.exists() {
            return Ok(());
        }
        Self::begin(path).map(drop)
    }

    fn straight(path: &Path) -> Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        Ok(Self {
            to: WriteDestination::Straight(file),
        })
    }

    /// Adds to it.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.to {
            WriteDestination::Beside(file, _) => file.write_all(bytes),
            WriteDestination::Straight(file) => file.write_all(bytes),
        }
    }

    /// Adds all that can be read.
    pub(super) fn copy(&mut self, from: &mut impl Read) -> Result<()> {
        match &mut self.to {
            WriteDestination::Beside(file, _) => io::copy(from, file).map(drop),
            WriteDestination::Straight(file) => io::copy(from, file).map(drop),
        }
    }

    /// Puts it into its place. Without this nothing has happened.
    pub(super) fn finish(self) -> Result<()> {
        match self.to {
            WriteDestination::Beside(file, place) => {
                let file = file.into_inner().map_err(|e| e.into_error())?;
                file.persist(place).map_err(|e| e.error)?;
                Ok(())
            }
            WriteDestination::Straight(mut file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_seen_of_a_file_before_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        for old in [None, Some("old")] {
            let mut file = AtomicFile::begin(&path).unwrap();
            file.write(b"new").unwrap();
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
            drop(file);
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
            let mut file = AtomicFile::begin(&path).unwrap();
            file.write(b"new").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            fs::write(&path, "old").unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        assert!(AtomicFile::begin(folder.path()).is_err());
        assert!(AtomicFile::begin(&folder.path().join("gone/r.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_stay() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("r.json"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut file = AtomicFile::begin(&link).unwrap();
        file.write(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let mut null = AtomicFile::begin(Path::new("/dev/null")).unwrap();
        null.write(b"new").unwrap();
        null.finish().unwrap();
        let null = fs::symlink_metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());
    }
}
