//! The command line: the only module that knows arguments, the terminal and exit codes.

mod atomic_file;
mod batch;
mod batch_progress;
mod cache;
mod certificate;
mod check;
mod compare;
mod convert;
mod distance;
pub mod exit;
mod explain;
mod fail_on;
mod generate;
mod init;
mod inspect;
mod merge;
mod method;
mod options;
mod output;
mod outputs;
mod own_meshes;
mod pack;
mod page_progress;
mod pages;
mod progress;
mod refusal;
mod schema;
mod self_test;
mod serve;
mod sink;
mod terminal;
mod tree;
mod values;
mod watch;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::render::printable;

/// Proves that a taught robot motion hits nothing, or finds the first contact.
#[derive(Debug, Parser)]
#[command(name = "clearance", version, about, long_about = None, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a first cell file from a URDF, meshes and programs
    Init(init::Init),
    /// Verify programs in a cell
    Check(check::CheckCommand),
    /// Verify a batch of programs
    Batch(batch::BatchCommand),
    /// Answer programs as they come: JSON lines in, JSON lines out
    Serve(serve::Serve),
    /// Join result files of `batch`
    Merge(merge::MergeCommand),
    /// Write a cell with all its files and sphere trees into one file
    Pack(pack::Pack),
    /// Show what a cell consists of: bodies, joints, limits, pairs, what is not checked, tree sizes
    Inspect(inspect::Inspect),
    /// Least distance of single configurations: JSON lines in, JSON lines out
    Distance(distance::Distance),
    /// The same question by every method and shape, as a table
    Compare(compare::Compare),
    /// Build sphere trees of a mesh or a cell, measure them, and write them as spheres for a viewer
    Tree(tree::TreeCommand),
    /// Look after the sphere trees that are kept on disk
    Cache(cache::CacheCommand),
    /// Look into a certificate of `check --certificate`
    Certificate(certificate::CertificateCommand),
    /// Print a program as a program of moves
    Convert(convert::Convert),
    /// Test the program on this machine, and write a record of it
    SelfTest(self_test::SelfTestCommand),
    /// Print what a word of a report means, and what to do
    Explain(explain::Explain),
    /// Print the JSON schema of a report
    Schema(schema::Schema),
    /// Write shell completions or man pages
    Generate(generate::Generate),
}

/// What belongs to a robot alone, and where a cell file has it.
const OF_A_ROBOT: [(&str, &str); 4] = [
    ("--obstacle", "[[obstacle]]"),
    ("--srdf", "`srdf` of its [[robot]]"),
    ("--joint-limits", "`joint_limits` of its [[robot]]"),
    ("--xacro-arg", "`xacro_args` of its [[robot]]"),
];

/// What to do where clap does not say it: the option that was meant by a file where none is
/// expected, or where a cell file has what an option says.
fn tip(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let without_robot = [
        ErrorKind::ArgumentConflict,
        ErrorKind::MissingRequiredArgument,
    ];
    if without_robot.contains(&error.kind()) {
        let said = error.to_string();
        let given = |option: &str| args.iter().any(|word| is_option(word, option));
        let (option, key) = OF_A_ROBOT
            .iter()
            .find(|(option, _)| given(option) && said.contains(option))?;
        return Some(format!(
            "{option} goes with --robot; a cell file has it as {key}"
        ));
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let option = match word.rsplit_once('.')?.1 {
        "toml" => "--cell",
        "urdf" => "--robot",
        _ => return None,
    };
    (error.kind() == ErrorKind::UnknownArgument && !word.starts_with('-'))
        .then(|| format!("name the file by its option: `{option} {word}`"))
}

/// A word that begins as `-h` or `-V` does and goes on: a shell that puts names of files onto the command
/// line would have the help in place of a check, which ends well.
fn taken_for_help(args: &[OsString]) -> Option<&str> {
    let words = args.iter().filter_map(|word| word.to_str());
    let mut words = words.take_while(|word| *word != "--");
    words.find(|word| word.len() > 2 && (word.starts_with("-h") || word.starts_with("-V")))
}

/// Whether a word is this option, with a value behind it or not.
fn is_option(word: &OsString, option: &str) -> bool {
    let word = word.to_string_lossy();
    word.strip_prefix(option)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// The same error about words that are printable: shells put names of files onto the command line.
fn harmless(error: clap::Error, args: &[OsString]) -> clap::Error {
    let shown = args.iter().map(|word| word.to_string_lossy());
    let shown: Vec<OsString> = shown.map(|w| printable(&w).into_owned().into()).collect();
    if shown == args {
        error
    } else {
        Cli::try_parse_from(shown).err().unwrap_or(error)
    }
}

/// Runs a command line (the first word is the program's name) and gives its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(exit_code(args))
}

/// The same for a caller that ends the process itself.
pub fn exit_code(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            let error = harmless(error, &args);
            let shows_help = !error.use_stderr();
            if let Some(word) = taken_for_help(&args).filter(|_| shows_help) {
                terminal::say(&format!(
                    "error: `{}` is taken for the option `{}`; write `./{0}` if it is a file",
                    printable(word),
                    &word[..2]
                ));
                return exit::UNVERIFIED;
            }
            // Help and version go to standard output and are not an error; a closed pipe is none
            // either.
            let _ = error.print();
            if let Some(tip) = tip(&error, &args) {
                let _ = writeln!(std::io::stderr().lock(), "\n  tip: {tip}");
            }
            return if error.use_stderr() {
                exit::UNVERIFIED
            } else {
                exit::CLEAR
            };
        }
    };
    let done = match cli.command {
        Command::Check(command) => command.run(),
        Command::Batch(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Serve(command) => command.run(),
        Command::Merge(command) => command.run(),
        Command::Pack(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Distance(command) => command.run(),
        Command::Tree(command) => command.run(),
        Command::Cache(command) => command.run(),
        Command::Certificate(command) => command.run(),
        Command::Convert(command) => command.run(),
        Command::SelfTest(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Schema(command) => command.run(),
        Command::Generate(command) => command.run(Cli::command()),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            terminal::say(&format!("error: {message}"));
            exit::UNVERIFIED
        }
    }
}
