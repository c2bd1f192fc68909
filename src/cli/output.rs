//! Where reports go.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clearance_formats::suggestion;

use super::sink::{Sink, write_file, write_parquet};
use super::terminal::{has_color, print, say, say_errors, width};
use crate::error::Error;
use crate::findings::{Diagnostic, FailOn, Outcome, ProgramOutcome, Tally};
use crate::render::{
    Scenery, Style, conclusion, github, html, json, junit, markdown, sarif, text_of_run,
};
use crate::run::{Job, Picture, Prepared, Settings, wide_clearance};

/// Why a program could not be verified, if it is its input.
pub(super) fn input_error(program: &ProgramOutcome) -> Option<String> {
    // A sampler that has seen nothing is at no fault of the input.
    program.error.clone().filter(|_| program.sampled.is_none())
}

/// When text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Even into a file or a pipe
    Always,
    /// Nowhere
    Never,
}

/// Formats of `inspect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For machines, SI units
    Json,
}

/// Formats of reports about programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFormat {
    /// For people.
    Text,
    /// For machines, SI units.
    Json,
    /// Test results, for CI servers.
    Junit,
    /// Code scanning.
    Sarif,
    /// Annotations in GitHub's logs.
    Github,
    /// A summary table.
    Markdown,
    /// To look at in a browser.
    Html,
    /// A table, a row a program.
    Parquet,
}

impl ReportFormat {
    const ALL: [(&'static str, ReportFormat); 8] = [
        ("text", ReportFormat::Text),
        ("json", ReportFormat::Json),
        ("junit", ReportFormat::Junit),
        ("sarif", ReportFormat::Sarif),
        ("github", ReportFormat::Github),
        ("markdown", ReportFormat::Markdown),
        ("html", ReportFormat::Html),
        ("parquet", ReportFormat::Parquet),
    ];

    fn render(self, outcome: &Outcome, style: &Style, fail_on: &FailOn) -> String {
        match self {
            ReportFormat::Text => text_of_run(outcome, style, fail_on),
            ReportFormat::Json => json(outcome),
            ReportFormat::Junit => junit(outcome, fail_on),
            ReportFormat::Sarif => sarif(outcome, fail_on),
            ReportFormat::Github => github(outcome, fail_on),
            ReportFormat::Markdown => markdown(outcome, fail_on),
            ReportFormat::Html => html(outcome, None, &[], None),
            // It is not a text: it has a file of its own.
            ReportFormat::Parquet => String::new(),
        }
    }
}

/// The format whose files are called like this one.
fn format_of(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "html" | "htm" => Some("html"),
        "json" => Some("json"),
        "xml" => Some("junit"),
        "sarif" => Some("sarif"),
        "md" => Some("markdown"),
        "txt" => Some("text"),
        "parquet" => Some("parquet"),
        _ => None,
    }
}

/// A report that was asked for: `json`, `json=out.json`, `text=-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    format: ReportFormat,
    /// `None`: standard output.
    path: Option<PathBuf>,
}

impl Report {
    const TEXT: Report = Report {
        format: ReportFormat::Text,
        path: None,
    };

    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let (format, path) = match text.split_once('=') {
            Some((_, "")) => {
                return Err(Error::usage(
                    "a file is missing behind `=`; `-` is standard output",
                ));
            }
            Some((format, path)) => (format, Some(path)),
            None => (text, None),
        };
        let known = ReportFormat::ALL.iter().map(|f| f.0);
        let Some(&(_, format)) = ReportFormat::ALL.iter().find(|f| f.0 == format) else {
            let of_file = path
                .is_none()
                .then(|| format_of(Path::new(format)))
                .flatten();
            let remedy = match of_file {
                Some(known) => format!("write `{known}={format}`"),
                None => suggestion(format, known),
            };
            return Err(Error::usage(format!("unknown format `{format}`; {remedy}")));
        };
        let path = path.filter(|&p| p != "-").map(PathBuf::from);
        if format == ReportFormat::Parquet && path.is_none() {
            return Err(Error::usage(
                "a Parquet table is not text: give it a file, as in `parquet=out.parquet`",
            ));
        }
        Ok(Self { format, path })
    }

    fn to_stdout(&self) -> bool {
        self.path.is_none()
    }

    /// It could not be written. What an earlier run has left there must not be taken for this one's.
    fn unwritten(&self, why: Error) -> Error {
        if let Some(path) = &self.path
            && std::fs::symlink_metadata(path).is_ok_and(|old| old.is_file())
        {
            // Where it cannot be removed either, the error has said that the file is not new.
            let _ = std::fs::remove_file(path);
        }
        why
    }

    /// Writes it to where it belongs. Gives whether somebody may read on.
    fn put(&self, text: &str) -> Result<bool, Error> {
        match &self.path {
            None => print(text),
            Some(path) => write_file(path, text).map(|()| true),
        }
    }
}

/// Gives back the first of the errors, and says the others.
fn all_written(errors: Vec<Error>) -> Result<(), Error> {
    let mut errors = errors.into_iter();
    let first = errors.next();
    say_errors(errors.map(|why| why.to_string()));
    first.map_or(Ok(()), Err)
}

/// The reports of a run and where they go.
#[derive(Debug, Clone)]
pub(super) struct Reports {
    list: Vec<Report>,
    /// Whether the user has named them.
    asked: bool,
    style: Style,
    fail_on: FailOn,
    quiet: bool,
}

impl Reports {
    /// The reports that were asked for; without any, text on standard output.
    ///
    /// # Errors
    /// When two of them cannot be written both.
    pub(super) fn new(
        list: Vec<Report>,
        color: Color,
        fail_on: FailOn,
        quiet: bool,
    ) -> Result<Self, Error> {
        let asked = !list.is_empty();
        let list = if asked { list } else { vec![Report::TEXT] };
        // Annotations are lines among others in a log.
        let mixed = list
            .iter()
            .filter(|r| r.to_stdout() && r.format != ReportFormat::Github);
        if mixed.count() > 1 {
            return Err(Error::usage(
                "two reports go to standard output: give one of them a file, as in `--report json=out.json`",
            ));
        }
        for (k, report) in list.iter().enumerate() {
            if let Some(path) = &report.path
                && list[..k].iter().any(|r| r.path.as_ref() == Some(path))
            {
                return Err(Error::usage(format!(
                    "two reports go to {}: give each a file of its own",
                    path.display()
                )));
            }
        }
        let style = Style {
            color: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => has_color(),
            },
            width: width(),
        };
        Ok(Self {
            list,
            asked,
            style,
            fail_on,
            quiet,
        })
    }

    /// The files that they are written to.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter_map(|r| r.path.as_deref())
    }

    /// Those of them that are pages.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Path> {
        let pages = self.list.iter().filter(|r| r.format == ReportFormat::Html);
        pages.filter_map(|r| r.path.as_deref())
    }

    /// Whether the user has named them: if not, it is the text that a run prints.
    pub(super) fn are_asked_for(&self) -> bool {
        self.asked
    }

    /// Whether one of them shows the motion.
    pub(super) fn want_picture(&self) -> bool {
        self.list.iter().any(|r| r.format == ReportFormat::Html)
    }

    /// Whether nobody sees on standard output what came out.
    fn are_files(&self) -> bool {
        let silent = |r: &Report| !r.to_stdout() || r.format == ReportFormat::Github;
        self.list.iter().all(silent)
    }

    /// Whether the text report on the terminal shows errors already.
    pub(super) fn shows_errors(&self) -> bool {
        let text = |r: &Report| r.to_stdout() && r.format == ReportFormat::Text;
        std::io::stdout().is_terminal() && self.list.iter().any(text)
    }

    /// Which findings count.
    pub(super) fn fail_on(&self) -> &FailOn {
        &self.fail_on
    }

    /// Says on standard error what the exit code does not say by itself.
    pub(super) fn say_exit_code_note(&self, tally: &Tally, of_cell: &[Diagnostic]) {
        let said = self.fail_on.exit_code_note(tally, of_cell);
        if let Some(said) = said.filter(|_| !self.shows_errors()) {
            say(&said);
        }
    }

    /// Says on standard error what could not be read.
    fn say_errors(&self, outcome: &Outcome) {
        if !self.shows_errors() {
            let programs = outcome.programs.iter().filter_map(input_error);
            say_errors(outcome.error.iter().cloned().chain(programs));
        }
    }

    /// Writes all of them. One that cannot be written does not keep the others from it. Gives
    /// whether somebody may read on.
    pub(super) fn write(
        &self,
        outcome: &Outcome,
        picture: Option<&Picture>,
    ) -> Result<bool, Error> {
        self.say_errors(outcome);
        let mut tally = Tally::default();
        outcome.programs.iter().for_each(|p| tally.add(p));
        self.say_exit_code_note(&tally, &outcome.notices);
        let mut goes_on = true;
        let mut errors = Vec::new();
        for report in &self.list {
            let written = match (report.format, picture) {
                (ReportFormat::Html, Some(picture)) => {
                    let scenery = Scenery::new(&picture.cell);
                    report.put(&html(outcome, Some(&scenery), &picture.replays, None))
                }
                (ReportFormat::Parquet, _) => {
                    let rows = outcome.programs.iter().map(|p| Ok(Cow::Borrowed(p)));
                    let path = report.path.as_deref().unwrap_or(Path::new(""));
                    write_parquet(path, outcome, rows).map(|()| true)
                }
                _ => self.write_one(report, outcome),
            };
            match written {
                Ok(reads_on) => goes_on &= reads_on,
                Err(why) => errors.push(report.unwritten(why)),
            }
        }
        if self.are_files() && !self.quiet {
            say(conclusion(outcome, &Style::default()).trim_end());
        }
        all_written(errors).map(|()| goes_on)
    }

    fn write_one(&self, report: &Report, outcome: &Outcome) -> Result<bool, Error> {
        let style = self.style_of(report);
        report.put(&report.format.render(outcome, &style, &self.fail_on))
    }

    fn style_of(&self, report: &Report) -> Style {
        if report.to_stdout() {
            self.style
        } else {
            Style::default()
        }
    }
}

impl Reports {
    /// Writes all of them about a batch: text piece by piece, so that it need not fit into memory,
    /// the others from the whole outcome. `html` writes to a file, and perhaps more beside it;
    /// `parquet` writes row by row.
    pub(super) fn write_batch(
        &self,
        text: impl Fn(&mut Sink, &Style) -> Result<(), Error>,
        outcome: impl Fn() -> Result<Outcome, Error>,
        html: impl Fn(&Path, &Outcome) -> Result<(), Error>,
        parquet: impl Fn(&Path) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut errors = Vec::new();
        for report in &self.list {
            let written = match (report.format, &report.path) {
                (ReportFormat::Text, _) => self.write_text(report, &text),
                (ReportFormat::Html, Some(path)) => outcome().and_then(|o| html(path, &o)),
                (ReportFormat::Parquet, Some(path)) => parquet(path),
                _ => outcome().and_then(|outcome| self.write_one(report, &outcome).map(|_| ())),
            };
            errors.extend(written.err().map(|why| report.unwritten(why)));
        }
        if self.are_files() && !self.quiet {
            let mut sink = Sink::Last(String::new());
            errors.extend(text(&mut sink, &Style::default()).err());
            if let Sink::Last(piece) = sink {
                say(piece.lines().last().unwrap_or_default());
            }
        }
        all_written(errors)
    }

    fn write_text(
        &self,
        report: &Report,
        text: &impl Fn(&mut Sink, &Style) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut sink = Sink::to(report.path.as_deref())?;
        text(&mut sink, &self.style_of(report))?;
        sink.close()
    }
}

/// Says what must be known of the cell, and what of it is not checked, where no line of the answers
/// is about the cell as a whole.
pub(super) fn say_of_cell(prepared: &Prepared, settings: &Settings, job: &Job) {
    let limits = settings.unjudged_limits(job);
    let wide = wide_clearance(&prepared.loaded.cell, settings.clearance);
    let of_cell = prepared.notices.iter().chain(&wide);
    for about in of_cell.chain(&prepared.unchecked).chain(&limits) {
        say(&format!(
            "{}: {}: {} ({})",
            about.severity.as_str(),
            about.subject,
            about.message,
            about.code.as_str()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_name_a_format_and_perhaps_a_file() {
        assert_eq!(Report::parse("text"), Ok(Report::TEXT));
        assert_eq!(Report::parse("text=-"), Ok(Report::TEXT));
        let file = Report::parse("json=a=b.json").unwrap();
        assert_eq!(
            (file.format, file.path),
            (ReportFormat::Json, Some(PathBuf::from("a=b.json")))
        );
        for wrong in ["xml", "", "json=", "=x"] {
            assert!(Report::parse(wrong).is_err(), "{wrong}");
        }
        let typo = Report::parse("junti=x.xml").unwrap_err().to_string();
        assert!(typo.contains("did you mean `junit`?"), "{typo}");
    }

    #[test]
    fn one_report_at_a_time_on_standard_output_but_for_annotations() {
        let reports = |list: &[&str]| {
            let list = list.iter().map(|r| Report::parse(r).unwrap()).collect();
            Reports::new(list, Color::Never, FailOn::default(), false).map(|r| r.list.len())
        };
        assert_eq!(reports(&[]), Ok(1));
        assert_eq!(reports(&["text", "github"]), Ok(2));
        assert_eq!(reports(&["text", "json=a.json", "sarif=b.json"]), Ok(3));
        assert!(reports(&["text", "json"]).is_err());
        assert!(reports(&["junit=a", "json=a"]).is_err());
    }
}
