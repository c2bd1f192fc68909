//! The installer of prebuilt programs: what is not what its sum says is not installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of a release for the system that this test runs on, with programs that only say who
/// they are.
struct Release {
    folder: TempDir,
    archive: String,
}

impl Release {
    fn new() -> Option<Self> {
        let target = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => "x86_64-unknown-linux-musl",
            ("linux", "aarch64") => "aarch64-unknown-linux-musl",
            ("macos", "x86_64") => "x86_64-apple-darwin",
            ("macos", "aarch64") => "aarch64-apple-darwin",
            _ => return None,
        };
        let release = Self {
            folder: tempfile::tempdir().unwrap(),
            archive: format!("clearance-{target}.tar.gz"),
        };
        let name = format!("clearance-{target}");
        let programs = release.folder.path().join(&name);
        fs::create_dir(&programs).unwrap();
        for program in ["clearance", "clearance-recheck"] {
            let file = programs.join(program);
            fs::write(&file, format!("#!/bin/sh\necho this is {program}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        release.sh(&format!("tar -czf {0}.tar.gz {0} && rm -r {0}", name));
        let sum = "if command -v sha256sum >/dev/null; then sha256sum clearance-*; else shasum -a 256 clearance-*; fi";
        release.sh(&format!("({sum}) > SHA256SUMS"));
        Some(release)
    }

    fn sh(&self, line: &str) {
        let mut shell = Command::new("sh");
        let done = shell
            .arg("-c")
            .arg(line)
            .current_dir(self.folder.path())
            .status();
        assert!(done.unwrap().success(), "{line}");
    }

    fn install(&self) -> Output {
        self.install_by(&script("install.sh"), Some(self.folder.path()))
    }

    fn install_by(&self, script: &Path, releases: Option<&Path>) -> Output {
        let mut shell = Command::new("sh");
        shell
            .arg(script)
            .env_remove("CLEARANCE_RELEASES")
            .env("CLEARANCE_BIN", self.folder.path().join("bin"));
        if let Some(releases) = releases {
            shell.env("CLEARANCE_RELEASES", releases);
        }
        shell.output().unwrap()
    }

    fn installed(&self) -> usize {
        fs::read_dir(self.folder.path().join("bin")).map_or(0, Iterator::count)
    }

    /// It is refused with these words, and nothing is there.
    fn refuses(&self, said: &str) {
        let refused = self.install();
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{words}");
        assert!(words.contains(said), "{words}");
        assert_eq!(self.installed(), 0);
    }
}

fn script(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/release");
    folder.join(name)
}

/// The script of the repository is of no release, and says so; that of a release has its address.
#[test]
fn the_script_of_a_release_knows_its_address() {
    let Some(release) = Release::new() else {
        panic!("there is no release for this system: the installer says so");
    };
    let refused = release.install_by(&script("install.sh"), None);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{words}");
    assert!(words.contains("set CLEARANCE_RELEASES"), "{words}");
    assert_eq!(release.installed(), 0);

    let made = tempfile::tempdir().unwrap();
    let write = |address: &Path| {
        let mut shell = Command::new("sh");
        shell.arg(script("installers.sh")).arg(address);
        shell.arg(made.path()).output().unwrap()
    };
    assert!(!write(Path::new("https://x'; rm -r y")).status.success());
    let written = write(release.folder.path());
    assert!(written.status.success(), "{written:?}");
    let done = release.install_by(&made.path().join("install.sh"), None);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(release.installed(), 2);
    let powershell = fs::read_to_string(made.path().join("install.ps1")).unwrap();
    let address = format!("$releasedAt = '{}'\n", release.folder.path().display());
    assert!(powershell.contains(&address), "{powershell}");
}

#[test]
fn what_its_sum_says_is_installed() {
    let Some(release) = Release::new() else {
        panic!("there is no release for this system: the installer says so");
    };
    // Twice: it may be there already.
    for _ in 0..2 {
        let done = release.install();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert!(
            said.starts_with("this is clearance\ninstalled into "),
            "{said}"
        );
        assert_eq!(release.installed(), 2);
    }
}

#[test]
fn what_is_not_what_its_sum_says_is_not_installed() {
    let Some(release) = Release::new() else {
        panic!("there is no release for this system: the installer says so");
    };
    let archive = release.folder.path().join(&release.archive);
    let sums = release.folder.path().join("SHA256SUMS");
    let good = fs::read(&archive).unwrap();
    let mut bytes = good.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, &bytes).unwrap();
    release.refuses("is not what SHA256SUMS says");
    fs::write(&archive, &good).unwrap();
    let listed = fs::read_to_string(&sums).unwrap();
    // Of another file only, which ends in the same name.
    fs::write(&sums, listed.replace("  clearance-", "  old-clearance-")).unwrap();
    release.refuses("does not list");
    fs::write(&sums, &listed).unwrap();
    fs::remove_file(&archive).unwrap();
    release.refuses("cannot be had");
    fs::write(&archive, &good).unwrap();
    fs::remove_file(&sums).unwrap();
    release.refuses("SHA256SUMS cannot be had");
}
