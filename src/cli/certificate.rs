//! `clearance certificate`, and the files that `check --certificate` writes.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use clearance_recheck::files::{During, read};
use clearance_recheck::motion::Span;
use clearance_recheck::pairs::part_pairs;
use clearance_recheck::statement::statement;
use clearance_recheck::walk::check;

use super::exit;
use super::sink::write_bytes;
use super::terminal::print;
use crate::error::Error;
use crate::findings::Outcome;
use crate::run::{Certified, Certifier, Job, Prepared, Verifier};

const EXIT_CODES: &str = "\
Exit codes:
  0  the certificate is valid, and says that everything is clear
  1  the certificate is valid, and says that there is a contact
  2  the certificate is not valid, or cannot be read (or wrong usage)";

/// Look into a certificate.
#[derive(Debug, Args)]
pub(super) struct CertificateCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say in words what it claims, whether that holds, and how much had to be shown of which pair
    /// when
    #[command(after_help = EXIT_CODES)]
    Explain {
        /// Certificate; its geometry file lies beside it
        file: PathBuf,
    },
}

impl CertificateCommand {
    pub(super) fn run(self) -> Result<u8, Error> {
        let Action::Explain { file } = self.action;
        let (geometry, certificate) = read(&file).map_err(Error::unusable)?;
        let pairs = part_pairs(&geometry);
        let segments = certificate.segments.len();
        let mut cells = vec![CellsOfPairs::default(); pairs.len()];
        let answer = check(&geometry, &certificate, &mut |pair, span| {
            cells[pair].count(span, segments);
        });
        let (words, code) = match &answer {
            Ok(cells) => {
                let code = match certificate.contact {
                    Some(_) => exit::FOUND,
                    None => exit::CLEAR,
                };
                (format!("valid: {cells} cells"), code)
            }
            Err(error) => (format!("invalid: {error}"), exit::UNVERIFIED),
        };
        // Cells that hold tell nothing where others do not.
        if answer.is_err() {
            print(&format!("{words}\n"))?;
            return Ok(code);
        }
        let mut text = format!("{words}\n\n{}", statement(&geometry, &certificate));
        let name = |part: usize| {
            let body = geometry.parts[part].body;
            geometry.bodies[body].name.escape_debug().to_string()
        };
        text += "\nCells of each pair over the motion, from its first segment (left) to its last (right); a pair that is far\n\
                 apart needs few. `.`: covered by a cell of a longer stretch. Gap: the pair is not checked then, or this time comes\n\
                 after the contact.\n";
        let free_until = (certificate.contact.as_ref())
            .map_or(f64::INFINITY, |c| c.free_until as f64 / 2f64.powi(40));
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| std::cmp::Reverse(cells[pair].total));
        for pair in order {
            let (CellsOfPairs { total, over_time }, of) = (&cells[pair], pairs[pair]);
            let strip: String = (0..COLUMNS)
                .map(|column| {
                    // Of segments in which nothing is said of the pair there is nothing to count.
                    let [from, to] = [column, column + 1].map(|c| c * segments / COLUMNS);
                    let here = During {
                        from,
                        to: to.max(from + 1),
                    };
                    let begins = (column * segments) as f64 / COLUMNS as f64;
                    if here.and(&of.during).is_any() && begins < free_until {
                        digit(over_time[column])
                    } else {
                        ' '
                    }
                })
                .collect();
            let (a, b) = (name(of.a), name(of.b));
            text += &format!("  [{strip}] {total:>6}  {a} and {b}\n");
        }
        print(&text)?;
        Ok(code)
    }
}

/// As many as this, in one column.
fn digit(count: u32) -> char {
    match count {
        0 => '.',
        1..=9 => char::from_digit(count, 10).unwrap_or('+'),
        _ => '+',
    }
}

const COLUMNS: usize = 48;

/// The numbers that are shown of a pair of parts.
#[derive(Debug, Clone)]
struct CellsOfPairs {
    total: u64,
    over_time: [u32; COLUMNS],
}

impl Default for CellsOfPairs {
    fn default() -> Self {
        CellsOfPairs {
            total: 0,
            over_time: [0; COLUMNS],
        }
    }
}

impl CellsOfPairs {
    fn count(&mut self, span: &Span, segments: usize) {
        self.total += 1;
        let ((first, end), share) = (span.segments, 0.5f64.powi(span.depth as i32));
        if end - first > 1 {
            return;
        }
        let at = first as f64 + span.index as f64 * share;
        let column = (at / segments as f64 * COLUMNS as f64) as usize;
        self.over_time[column.min(COLUMNS - 1)] += 1;
    }
}

/// How every certificate begins.
const START: &[u8; 22] = b"clearance-certificate ";

/// Takes away the certificate of an earlier run before this one begins: where it makes none, that
/// one would be taken for its answer. Any other file stays.
pub(super) fn take_away(file: &Path) -> Result<(), Error> {
    let mut start = [0; START.len()];
    let is_file = fs::symlink_metadata(file).is_ok_and(|about| about.is_file());
    let mut read = || File::open(file)?.read_exact(&mut start);
    if is_file && read().is_ok() && start == *START {
        fs::remove_file(file).map_err(|e| Error::unwritable(file.display(), e))?;
    }
    Ok(())
}

/// The geometry file of a certificate: `pick.geometry` of `pick.cert`, and of another name all of it
/// with an ending, so that `run.1` and `run.2` have two.
pub(super) fn geometry_beside(certificate: &Path) -> Result<PathBuf, Error> {
    let geometry = match certificate.extension() {
        Some(ending) if ending != "cert" => {
            let mut whole = certificate.as_os_str().to_owned();
            whole.push(".geometry");
            PathBuf::from(whole)
        }
        _ => certificate.with_extension("geometry"),
    };
    let name = geometry.file_name().and_then(|name| name.to_str());
    match name {
        // The certificate names it in a line.
        Some(name) if geometry != certificate && !name.contains('\n') => Ok(geometry),
        _ => Err(Error::usage(format!(
            "{certificate:?}: no name for a certificate; choose one as in `--certificate pick.cert`"
        ))),
    }
}

/// Writes the certificate of the one answer of a run, and its geometry beside it.
pub(super) fn write_certificate(
    job: &Job,
    prepared: &Prepared,
    outcome: &Outcome,
    file: &Path,
) -> Result<(), Error> {
    let verifier = Verifier::new(job, prepared)?;
    let geometry = geometry_beside(file)?;
    let name = geometry.file_name().unwrap_or_default().to_string_lossy();
    let certifier = Certifier::new(&verifier, &name)?;
    let checks = job.checks();
    let (Some(programs), Some(answer)) = (checks.first(), outcome.programs.first()) else {
        return Err(Error::usage("there is no program to certify: name one"));
    };
    let Certified { made, own_geometry } = certifier.certificate(programs, answer, &name)?;
    let bytes = own_geometry.as_deref().unwrap_or(certifier.geometry());
    write_bytes(&geometry, bytes)?;
    write_bytes(file, &made.bytes)
}
