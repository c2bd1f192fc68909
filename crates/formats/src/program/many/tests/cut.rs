//! Tables of one series that hold the two halves of a program.

use super::*;

fn csv(ids: &[&str], last_comment: &str) -> Vec<u8> {
    let rows = ids.iter().map(|id| format!("{id},0.1,1\n"));
    format!(
        "program,turn,slide\n{}{last_comment}",
        rows.collect::<String>()
    )
    .into_bytes()
}

fn parquet(ids: &[i64]) -> Vec<u8> {
    let values = vec![0.5; ids.len()];
    parquet_bytes(&[
        ("program", whole(ids)),
        ("turn", real(&values)),
        ("slide", real(&values)),
    ])
}

/// The programs of a file beside another one: whether each is taken, and what is said of the others.
fn of(file: (&str, Vec<u8>), other: (&str, Vec<u8>)) -> (Vec<bool>, String) {
    let own = TestFile::new(file.0, file.1);
    fs::write(own.folder.path().join(other.0), other.1).unwrap();
    let all = own.programs(None, &Layout::default());
    let said = all.iter().filter_map(|p| p.as_ref().err().cloned());
    let said = said.collect::<Vec<_>>().join("; ");
    (all.iter().map(Result::is_ok).collect(), said)
}

/// Catches two halves of a program that are each taken for a program: the move between them is in
/// neither file.
#[test]
fn a_program_in_two_files_is_refused_in_both() {
    let [first, second] = ["train-00000-of-00002", "train-00001-of-00002"];
    let long: Vec<i64> = (0..4).chain([5; 3000]).collect();
    type Ends = (&'static str, Vec<u8>, Vec<u8>);
    let ends: [Ends; 2] = [
        ("parquet", parquet(&long), parquet(&[5, 5, 5, 5, 6])),
        (
            "csv",
            csv(&["0", "1", "2", "3", "5"], ""),
            csv(&["5", "5", "6"], "# end\n"),
        ),
    ];
    for (extension, a, b) in ends {
        let [first, second] = [first, second].map(|name| format!("{name}.{extension}"));
        let (sound, said) = of((&first, a.clone()), (&second, b.clone()));
        assert_eq!(sound, [true, true, true, true, false], "{said}");
        let told = format!("program `5` goes on in {second}, whose first row has that id too");
        assert!(said.contains(&format!("{first}: {told}")), "{said}");
        assert!(
            said.contains("write all rows of a program into one file"),
            "{said}"
        );
        let (sound, said) = of((&second, b.clone()), (&first, a.clone()));
        assert_eq!(sound, [false, true], "{said}");
        let told = format!("program `5` begins in {first}, whose last row has that id too");
        assert!(said.contains(&told), "{said}");
        // By its name alone, and another one of the same file.
        let own = TestFile::new(&first, a.clone());
        fs::write(own.folder.path().join(&second), b.clone()).unwrap();
        assert!(own.one(Some("5"), &Layout::default()).is_err());
        assert!(own.one(Some("3"), &Layout::default()).is_ok());
        // Files of other names are no series.
        let (sound, _) = of(
            (&first, a.clone()),
            (&format!("other.{extension}"), b.clone()),
        );
        assert_eq!(sound, [true; 5]);
        // Of a file that cannot be read nobody knows what it begins with.
        let (sound, said) = of((&first, a), (&second, b"\0\0".to_vec()));
        assert_eq!(sound, [true, true, true, true, false], "{said}");
        assert!(said.contains("that file cannot be read"), "{said}");
    }
}

/// Catches programs that are refused though each has its own rows in one file.
#[test]
fn whole_programs_of_a_series_are_taken() {
    let (sound, said) = of(
        ("p_1.csv", csv(&["a", "b"], "")),
        ("p_2.csv", csv(&["c", "b"], "")),
    );
    assert_eq!((sound, said.as_str()), (vec![true, true], ""));
    // A table of one program has no ids.
    let plain = b"turn,slide\n0,1\n".to_vec();
    let (sound, said) = of(("p_1.csv", csv(&["a", "b"], "")), ("p_2.csv", plain));
    assert_eq!((sound, said.as_str()), (vec![true, true], ""));
}

/// Catches a last row that is looked for where only comments stand, or in a part of a line.
#[test]
fn the_last_row_of_a_long_table_is_found() {
    let many: Vec<String> = (0..300_000).map(|k| format!("p{k}")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.push("z");
    let comments = "# nothing\n".repeat(300_000);
    for last in ["", &comments] {
        let (sound, said) = of(
            ("p_2.csv", csv(&["z", "y"], "")),
            ("p_1.csv", csv(&many, last)),
        );
        assert_eq!(sound, [false, true], "{said}");
    }
}
