//! `package://`: the folder that a user states is the one that is read.

use std::fs;

use super::{POST, Shop, arm};

/// A triangle of this size, in a file of its own.
fn mesh(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 0.01 0\nf 1 2 3\n")
}

/// A robot whose tip has a mesh of the package `p`, in two versions: `small`, and `large` which
/// reaches the post.
fn shop(cell: &str) -> Shop {
    let tip = "<link name='tip'><collision><geometry><mesh filename='package://p/tip.obj'/></geometry></collision></link>\
               <joint name='weld' type='fixed'><parent link='arm'/><child link='tip'/><origin rpy='0 0 -2.356'/></joint>";
    let shop = Shop::new(&(arm() + tip), &format!("{POST}{cell}"));
    for (folder, size) in [("small", 0.2), ("large", 1.2)] {
        fs::create_dir(shop.path().join(folder)).unwrap();
        shop.put(&format!("{folder}/tip.obj"), &mesh(size));
    }
    shop
}

/// Regression: `[packages]` won over the command line, and what it named wrongly was looked for
/// elsewhere, without a word.
#[test]
fn a_stated_package_counts_and_the_command_line_first() {
    let small = shop("[packages]\np = \"small\"\n");
    assert_eq!(small.run("check --cell cell.toml p.csv").0, 0);
    let (code, text, _) = small.run("check --cell cell.toml --package p=large p.csv");
    assert_eq!(code, 1, "{text}");
    // Beside the URDF there is a folder of that name.
    for stated in ["", "[packages]\np = \"typo\"\n"] {
        let shop = shop(stated);
        fs::rename(shop.path().join("small"), shop.path().join("p")).unwrap();
        let (code, text, error) = shop.run("check --cell cell.toml p.csv");
        if stated.is_empty() {
            assert_eq!(code, 0, "{text}{error}");
        } else {
            assert_eq!(code, 2, "{text}{error}");
            assert!(error.contains("typo, which is no folder"), "{error}");
        }
    }
    let (code, _, error) =
        small.run("check --cell cell.toml --package p=small --package p=large p.csv");
    assert_eq!(code, 2);
    assert!(error.contains("states two folders for `p`"), "{error}");
}

#[test]
fn a_package_that_no_file_names_is_told() {
    let shop = shop("[packages]\np = \"small\"\nq = \"large\"\n");
    let (code, report) = shop.json("check --cell cell.toml p.csv");
    assert_eq!(code, 0, "{report:#}");
    let all = report.to_string();
    assert!(
        all.contains("a folder of the package `q` is stated"),
        "{report:#}"
    );
    assert!(
        !all.contains("a folder of the package `p` is stated"),
        "{report:#}"
    );
}
