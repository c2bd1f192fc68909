//! Certificates of a batch: one for each program that is clear or has a contact, and a list of
//! them.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::name;
use crate::error::Error;
use crate::findings::{ProgramOutcome, Verdict, printable};
use crate::run::{Certifier, OpenedProgram, Verifier};

/// The name of the geometry file of all certificates in a folder.
const GEOMETRY: &str = "cell.geometry";
/// The name of the list: a line for each program with its name, a tab, and its certificate or why
/// there is none.
const LIST: &str = "certificates.txt";

/// What a file name takes of the name of its program, in bytes. Systems have 255 for all of it, some
/// 143.
const STEM: usize = 80;

/// The name of the files of a program, without `.cert`: enough of its file name to be known by, and
/// a hash of its whole name, since programs of several folders may have one file name.
fn file_name(program: &Path) -> String {
    let stem = program.file_name().unwrap_or_default().to_string_lossy();
    let mut called = String::new();
    for c in stem.chars() {
        // What some system does not take in a name, or what would break a line of the list.
        let plain = !c.is_control() && !"<>:\"|?*\\/".contains(c);
        let c = if plain { c } else { '_' };
        if called.len() + c.len_utf8() > STEM {
            break;
        }
        called.push(c);
    }
    let hash = blake3::hash(program.as_os_str().as_encoded_bytes()).to_hex();
    format!("{called}.{}", &hash[..32])
}

/// A folder that certificates are put into.
pub(super) struct Certificates<'v, 'p> {
    certifier: Certifier<'v, 'p>,
    folder: PathBuf,
    /// By place of the program in the sorted list.
    entries: Mutex<Vec<(usize, CertificateEntry)>>,
}

struct CertificateEntry {
    program: String,
    /// It is clear, so it should have one.
    clear: bool,
    /// `None`: it is neither clear nor a contact, so there is nothing to certify.
    certificate: Option<Result<String, Error>>,
}

fn unwritable(path: &Path, e: &std::io::Error) -> Error {
    Error::unwritable(path.display(), e)
}

impl<'v, 'p> Certificates<'v, 'p> {
    /// Makes the folder and the geometry file in it.
    ///
    /// # Errors
    /// When certificates do not cover the cell, or the folder holds anything: a certificate of
    /// before must not look like one of this run.
    pub(super) fn begin(folder: &Path, verifier: &'v Verifier<'p>) -> Result<Self, Error> {
        let certifier = Certifier::new(verifier, GEOMETRY)?;
        let failed = |e: std::io::Error| unwritable(folder, &e);
        std::fs::create_dir_all(folder).map_err(failed)?;
        if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(Error::unusable(format!(
                "{}: the folder for certificates is not empty; name a new one, so that none of an earlier run stays among them",
                folder.display()
            )));
        }
        let file = folder.join(GEOMETRY);
        std::fs::write(&file, certifier.geometry()).map_err(|e| unwritable(&file, &e))?;
        Ok(Certificates {
            certifier,
            folder: folder.to_owned(),
            entries: Mutex::default(),
        })
    }

    /// Writes the certificate of a program, if it is clear or has a contact.
    ///
    /// # Errors
    /// When it cannot be written. That there is none is said by the list.
    pub(super) fn put(
        &self,
        index: usize,
        program: &Path,
        opened: &OpenedProgram,
        outcome: &ProgramOutcome,
    ) -> Result<(), Error> {
        let certificate = match outcome.verdict {
            Verdict::Clear | Verdict::Collision => Some(self.made(program, opened, outcome)?),
            _ => None,
        };
        let entry = CertificateEntry {
            program: name(program),
            clear: outcome.verdict == Verdict::Clear,
            certificate,
        };
        let mut all = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((index, entry));
        Ok(())
    }

    fn made(
        &self,
        program: &Path,
        opened: &OpenedProgram,
        outcome: &ProgramOutcome,
    ) -> Result<Result<String, Error>, Error> {
        let called = file_name(program);
        let [called, own] = ["cert", "geometry"].map(|kind| format!("{called}.{kind}"));
        let certified =
            match (self.certifier).certificate_of(std::slice::from_ref(opened), outcome, &own) {
                Ok(certified) => certified,
                Err(why) => return Ok(Err(why)),
            };
        let put = |name: &str, bytes: &[u8]| {
            let file = self.folder.join(name);
            // No program takes the certificate of another one.
            File::create_new(&file)
                .and_then(|mut new| new.write_all(bytes))
                .map_err(|e| unwritable(&file, &e))
        };
        if let Some(geometry) = certified.own_geometry {
            put(&own, &geometry)?;
        }
        put(&called, &certified.made.bytes)?;
        Ok(Ok(called))
    }

    /// Writes the list. What is returned are the programs that are clear and have no certificate,
    /// each with the reason.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn finish(self) -> Result<Vec<String>, Error> {
        let mut all = self
            .entries
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        all.sort_by_key(|(index, _)| *index);
        let (mut list, mut missing) = (String::new(), Vec::new());
        for (
            _,
            CertificateEntry {
                program,
                clear,
                certificate,
            },
        ) in all
        {
            let what = match certificate {
                None => "none: neither clear nor a contact".to_owned(),
                Some(Ok(called)) => called,
                Some(Err(why)) => {
                    if clear {
                        missing.push(why.to_string());
                    }
                    format!("none: {why}")
                }
            };
            list += &format!("{}\t{}\n", printable(&program), printable(&what));
        }
        let file = self.folder.join(LIST);
        std::fs::write(&file, list).map_err(|e| unwritable(&file, &e))?;
        Ok(missing)
    }
}
