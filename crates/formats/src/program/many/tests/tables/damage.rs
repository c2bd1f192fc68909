//! Tables that are damaged, or say of themselves what is not so.

use ::parquet::file::metadata::{FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataWriter};
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;

#[test]
fn damaged_tables_never_panic() {
    survive("p.parquet", &parquet_bytes(&plans()), None, 1500);
    let numbered = with(plans(), "program", whole(&[1, 1, 2, 2, 2, 3]));
    survive("p.parquet", &parquet_bytes(&numbered), None, 1500);
    survive(
        "p.csv",
        b"program,time,turn,slide\na,0,0,0\na,1,1,1\nb,0,0,0\n",
        None,
        500,
    );
}

/// Rows are read ahead, but what is wrong with them is said behind the programs before them.
#[test]
fn programs_before_a_damaged_row_group_come_all_the_same() {
    let mut bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let reader = SerializedFileReader::new(fs::File::open(&file.path).unwrap()).unwrap();
    let turn = reader.metadata().row_group(1).column(2).clone();
    let start = (turn.dictionary_page_offset()).unwrap_or(turn.data_page_offset()) as usize;
    bytes[start..start + 8].fill(0xff);
    fs::write(&file.path, &bytes).unwrap();
    let all = file.programs(None, &layout());
    assert_eq!(taught(all[0].as_ref().unwrap()).len(), 2);
    let said = all[1].as_ref().unwrap_err();
    assert!(
        said.contains("p.parquet: the Parquet file cannot be read: column `turn`"),
        "{said}"
    );
    assert_eq!(all.len(), 2);
}

/// Catches rows, and whole programs, that a damaged footer does not tell of.
#[test]
fn rows_that_the_footer_does_not_tell_of_are_damage() {
    let bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let open = || SerializedFileReader::new(fs::File::open(&file.path).unwrap()).unwrap();
    let whole = open().metadata().clone();
    let said = || {
        let all = file.programs(None, &layout());
        let said: Vec<String> = all.into_iter().filter_map(Result::err).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        said.into_iter().collect::<String>()
    };
    // Of the second row group, which has three.
    for rows in [0, 2] {
        let mut groups = whole.row_groups().to_vec();
        let last = groups.pop().unwrap().into_builder();
        groups.push(last.set_num_rows(rows).build().unwrap());
        let of_file = whole.file_metadata();
        let schema = of_file.schema_descr_ptr();
        let about = FileMetaData::new(of_file.version(), 3 + rows, None, None, schema, None);
        let forged = ParquetMetaDataBuilder::new(about)
            .set_row_groups(groups)
            .build();
        let mut written = bytes.clone();
        let writer = ParquetMetaDataWriter::new(&mut written, &forged);
        writer.finish().unwrap();
        fs::write(&file.path, &written).unwrap();
        let said = said();
        assert!(
            said.contains("a column has more rows than its row group"),
            "{rows}: {said}"
        );
    }
    // The third field of the footer is a number, 6 rows (twice as much in the file), and the fourth
    // a list.
    let mut forged = bytes.clone();
    let at = forged
        .windows(3)
        .rposition(|w| w == [0x16, 12, 0x19])
        .unwrap();
    forged[at + 1] = 14;
    fs::write(&file.path, &forged).unwrap();
    let said = said();
    let says = "it says that it has 7 rows, and its row groups have 6";
    assert!(said.contains(says), "{said}");
}

/// A page may have a sum of its bytes. The file is of pyarrow (`write_page_checksum=True`).
#[test]
fn pages_whose_sum_is_another_one_are_damage() {
    let mut bytes = include_bytes!("../page_sums.parquet").to_vec();
    let file = TestFile::new("p.parquet", &bytes);
    let whole = file.one(Some("a"), &layout()).unwrap();
    assert_eq!(taught(&whole)[1], (1.0, vec![0.0, 1.6], 2));
    let number = 1.6_f64.to_le_bytes();
    let at = bytes.windows(8).position(|w| w == number).unwrap();
    bytes[at + 1] ^= 1;
    fs::write(&file.path, &bytes).unwrap();
    let said = file.one(Some("a"), &layout()).unwrap_err();
    assert!(said.contains("column `turn`"), "{said}");
}

/// The size that a page states is believed up to a limit only: a snappy page of 2 GB would be
/// filled with zeros first.
#[test]
fn forged_pages_are_refused_before_they_are_unpacked() {
    let bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let mut forged = 0;
    // Type, then the unpacked size as a number of variable length: `15 00 15 xx` begins a data
    // page.
    for at in 4..bytes.len() - 8 {
        if !matches!(bytes[at..at + 3], [0x15, 0 | 4, 0x15]) {
            continue;
        }
        let mut copy = bytes.clone();
        let end = (at + 3..).find(|&k| copy[k] & 0x80 == 0).unwrap();
        // The bytes behind move: the file is broken anyway, and must be refused for this reason
        // first.
        copy.splice(at + 3..=end, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
        fs::write(&file.path, &copy).unwrap();
        let said = match file.ids(&layout()) {
            Err(said) => said,
            Ok(_) => {
                let all = file.programs(None, &layout());
                let said = all.into_iter().find_map(Result::err);
                said.expect("it is refused")
            }
        };
        forged += usize::from(said.contains("more than the 64 MiB that are read of one"));
    }
    assert!(forged > 0, "no page was forged");
}
