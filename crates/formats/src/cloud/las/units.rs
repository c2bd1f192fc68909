//! The unit of the coordinates that a LAS file states: in a text (WKT) or in keys of GeoTIFF, each in
//! a record beside the points.

use super::at;
use crate::Problem;
use crate::cloud::damaged;
use crate::mesh::shown;

mod wkt;

/// A unit that the file states, by the name that it has there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StatedUnit {
    name: String,
    metres: f64,
}

/// Who owns the records about coordinates.
const OWNER: &[u8] = b"LASF_Projection";
const WKT: u16 = 2112;
const KEYS: u16 = 34_735;
const DOUBLES: u16 = 34_736;

/// Keys of GeoTIFF.
const MODEL: u16 = 1024;
const UNIT: u16 = 3076;
const UNIT_SIZE: u16 = 3077;
const VERTICAL_UNIT: u16 = 4099;
/// Values of these: coordinates are angles; the size of the unit stands in another key.
const GEOGRAPHIC: u16 = 2;
const OWN_SIZE: u16 = 32_767;

/// Units by their number in the EPSG register.
const NUMBERED: [(u16, &str, f64); 9] = [
    (1025, "millimetre", 0.001),
    (1033, "centimetre", 0.01),
    (9001, "metre", 1.0),
    (9002, "foot", 0.3048),
    (9003, "US survey foot", 1200.0 / 3937.0),
    (9005, "Clarke's foot", 0.304_797_265_4),
    (9036, "kilometre", 1000.0),
    (9037, "Clarke's yard", 0.914_391_796_2),
    (9096, "yard", 0.9144),
];

/// Two units are one if they differ by less than this share. A US survey foot is two millionths
/// longer than a foot, which is half a metre at the coordinates of a land survey.
const SAME: f64 = 1e-7;

/// Refuses a file whose own statement contradicts the unit that it is read in.
pub(super) fn agree(bytes: &[u8], metres: f64) -> Result<(), Problem> {
    for unit in stated(bytes)? {
        if (unit.metres / metres - 1.0).abs() <= SAME {
            continue;
        }
        return Err(Problem::BadValue {
            what: "`unit`".to_owned(),
            value: format!("{metres} m"),
            remedy: format!(
                "the file says that its coordinates are in `{}` ({} m): state that unit (feet are \"ft\", US survey feet \
                 \"us-ft\"), or export the file with the right unit, the same one for all three axes",
                shown(&unit.name),
                unit.metres
            ),
        });
    }
    Ok(())
}

/// The problem of coordinates that are longitude and latitude.
fn geographic() -> Problem {
    Problem::Unsupported {
        what: "a LAS file in longitude and latitude (its coordinate system is a geographic one)"
            .to_owned(),
        remedy: "export it with coordinates of length, in the frame of the cell".to_owned(),
    }
}

/// All units that the file states for its coordinates.
fn stated(bytes: &[u8]) -> Result<Vec<StatedUnit>, Problem> {
    let records = Records::of(bytes)?;
    let mut units = Vec::new();
    for text in &records.texts {
        let text = String::from_utf8_lossy(text);
        let found = wkt::read(text.trim_end_matches('\0'));
        if found.geographic {
            return Err(geographic());
        }
        units.extend(found.units);
    }
    for keys in &records.keys {
        units.extend(of_keys(keys, records.doubles)?);
    }
    Ok(units)
}

/// The records about coordinates.
#[derive(Default)]
struct Records<'a> {
    texts: Vec<&'a [u8]>,
    keys: Vec<&'a [u8]>,
    doubles: &'a [u8],
}

impl<'a> Records<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, Problem> {
        let header = u64::from(u16::from_le_bytes(at(bytes, 94)?));
        let count = u32::from_le_bytes(at(bytes, 100)?);
        let mut records = Self::default();
        records.walk(bytes, header, count, false)?;
        let [minor] = at(bytes, 25)?;
        if minor == 4 {
            let start = u64::from_le_bytes(at(bytes, 235)?);
            let count = u32::from_le_bytes(at(bytes, 243)?);
            records.walk(bytes, start, count, true)?;
        }
        Ok(records)
    }

    /// A row of records; those behind the points (`long`) have longer lengths.
    fn walk(&mut self, bytes: &'a [u8], start: u64, count: u32, long: bool) -> Result<(), Problem> {
        let mut start = usize::try_from(start).unwrap_or(usize::MAX);
        for _ in 0..count {
            let record = bytes.get(start..).unwrap_or_default();
            let id = u16::from_le_bytes(at(record, 18)?);
            let (head, length) = if long {
                (60, u64::from_le_bytes(at(record, 20)?))
            } else {
                (54, u64::from(u16::from_le_bytes(at(record, 20)?)))
            };
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let body = record.get(head..).and_then(|rest| rest.get(..length));
            let Some(body) = body else {
                return Err(damaged("a record beside the points ends early"));
            };
            if record[2..18].starts_with(OWNER) {
                match id {
                    WKT => self.texts.push(body),
                    KEYS => self.keys.push(body),
                    DOUBLES => self.doubles = body,
                    _ => {}
                }
            }
            start += head + length;
        }
        Ok(())
    }
}

/// The units in a directory of keys: entries of four numbers, the first of which counts them.
fn of_keys(keys: &[u8], doubles: &[u8]) -> Result<Vec<StatedUnit>, Problem> {
    let number = |at: usize| -> u16 {
        let two = keys.get(2 * at..).and_then(|rest| rest.first_chunk());
        two.map_or(0, |&two| u16::from_le_bytes(two))
    };
    let count = usize::from(number(3)).min(keys.len() / 8);
    let value = |key: u16| {
        let entry = (1..=count).find(|&entry| number(4 * entry) == key)?;
        Some((number(4 * entry + 1), number(4 * entry + 3)))
    };
    if value(MODEL) == Some((0, GEOGRAPHIC)) {
        return Err(geographic());
    }
    let mut units = Vec::new();
    for key in [UNIT, VERTICAL_UNIT] {
        let Some((0, code @ 1..)) = value(key) else {
            continue;
        };
        if let Some(&(_, name, metres)) = NUMBERED.iter().find(|unit| unit.0 == code) {
            let name = name.to_owned();
            units.push(StatedUnit { name, metres });
            continue;
        }
        let size = value(UNIT_SIZE).filter(|&(place, _)| place == DOUBLES && key == UNIT);
        let size = size.and_then(|(_, index)| at(doubles, 8 * usize::from(index)).ok());
        match (code, size.map(f64::from_le_bytes)) {
            (OWN_SIZE, Some(metres)) => {
                let name = "a unit of its own".to_owned();
                units.push(StatedUnit { name, metres });
            }
            _ => {
                return Err(Problem::Unsupported {
                    what: format!("the unit {code} of GeoTIFF, in which its coordinates are,"),
                    remedy: "export the file in metres".to_owned(),
                });
            }
        }
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::cloud::{CloudOptions, parse};

    /// A LAS 1.2 file of one point with a record beside it.
    fn las(records: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let sample = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../fuzz/seeds/cloud/laspy_1_2.las"
        );
        let bytes = std::fs::read(sample).unwrap();
        let data = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
        let mut file = bytes[..227].to_vec();
        for (id, body) in records {
            file.extend([0; 2]);
            file.extend(b"LASF_Projection\0");
            file.extend(id.to_le_bytes());
            file.extend((body.len() as u16).to_le_bytes());
            file.extend([0; 32]);
            file.extend(body);
        }
        file[94..96].copy_from_slice(&227u16.to_le_bytes());
        let start = file.len() as u32;
        file[96..100].copy_from_slice(&start.to_le_bytes());
        file[100..104].copy_from_slice(&(records.len() as u32).to_le_bytes());
        file.extend(&bytes[data..]);
        file
    }

    fn read(records: &[(u16, Vec<u8>)], unit: &str) -> Result<(), String> {
        let options = CloudOptions {
            radius: 0.005,
            unit: Some(unit.to_owned()),
        };
        let read = parse(&las(records), Path::new("a.las"), &options);
        read.map(|_| ()).map_err(|error| error.to_string())
    }

    fn text(wkt: &str) -> Vec<(u16, Vec<u8>)> {
        vec![(2112, [wkt.as_bytes(), b"\0"].concat())]
    }

    fn keys(entries: &[[u16; 4]]) -> (u16, Vec<u8>) {
        let head = [1, 1, 0, entries.len() as u16];
        let numbers = head.iter().chain(entries.as_flattened());
        (34_735, numbers.flat_map(|n| n.to_le_bytes()).collect())
    }

    const US_FEET: &str = "COMPD_CS[\"NAD83 / New York\",PROJCS[\"NAD83 / New York [ftUS]\",GEOGCS[\"NAD83\",\
        DATUM[\"North_American_Datum_1983\",SPHEROID[\"GRS 1980\",6378137,298.257222101]],PRIMEM[\"Greenwich\",0],\
        UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Lambert_Conformal_Conic_2SP\"],PARAMETER[\"false_easting\",\
        984250],UNIT[\"US survey foot\",0.304800609601219,AUTHORITY[\"EPSG\",\"9003\"]],AXIS[\"X\",EAST]],\
        VERT_CS[\"NAVD88\",VERT_DATUM[\"North American\",2005],UNIT[\"US survey foot\",0.3048006096]]]";
    const METRES: &str = "PROJCRS[\"WGS 84 / UTM zone 32N\",BASEGEOGCRS[\"WGS 84\",DATUM[\"W\",ELLIPSOID[\"WGS 84\",\
        6378137,298.257223563,LENGTHUNIT[\"foot\",0.3048]]],PRIMEM[\"Greenwich\",0,ANGLEUNIT[\"degree\",0.0174]]],\
        CONVERSION[\"UTM\",PARAMETER[\"False easting\",500000,LENGTHUNIT[\"foot\",0.3048]]],CS[Cartesian,2],\
        AXIS[\"(E)\",east,ORDER[1],LENGTHUNIT[\"metre\",1]],AXIS[\"(N)\",north,LENGTHUNIT[\"metre\",1]]]";

    /// Catches feet that are read as metres because the cell says so.
    #[test]
    fn a_unit_of_the_file_is_held_against_that_of_the_cell() {
        for unit in ["m", "ft"] {
            let said = read(&text(US_FEET), unit).unwrap_err();
            assert!(said.contains("in `US survey foot` (0.304800609"), "{said}");
            assert!(said.contains("\"us-ft\""), "{said}");
        }
        assert_eq!(read(&text(US_FEET), "us-ft"), Ok(()));
        assert_eq!(read(&text(METRES), "m"), Ok(()));
        assert!(read(&text(METRES), "mm").is_err());
        // Heights in another unit than the plane: no unit is right.
        let mixed = US_FEET.replace("0.3048006096]]", "0.5]]");
        assert!(read(&text(&mixed), "us-ft").is_err());
        for (entry, right) in [
            ([3076, 0, 1, 9001], "m"),
            ([3076, 0, 1, 9002], "ft"),
            ([4099, 0, 1, 9003], "us-ft"),
        ] {
            for unit in ["m", "ft", "us-ft"] {
                let entries = [[1024, 0, 1, 1], entry];
                let fits = read(&[keys(&entries)], unit).is_ok();
                assert_eq!(fits, unit == right, "{entry:?} {unit}");
            }
        }
        let own = keys(&[[3076, 0, 1, 32_767], [3077, 34_736, 1, 1]]);
        let sizes: Vec<u8> = [5.0f64, 0.01]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let own = [own, (34_736, sizes)];
        assert_eq!(read(&own, "cm"), Ok(()));
        assert!(read(&own, "m").is_err());
        let said = read(&[keys(&[[3076, 0, 1, 9014]])], "m").unwrap_err();
        assert!(said.contains("the unit 9014"), "{said}");
        // A file that says nothing is read as before.
        assert_eq!(read(&[], "mm"), Ok(()));
        assert_eq!(read(&[keys(&[[1024, 0, 1, 1]])], "mm"), Ok(()));
    }

    /// Catches degrees that are read as lengths.
    #[test]
    fn longitude_and_latitude_are_refused() {
        let degrees = "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.2]],UNIT[\"degree\",0.01745]]";
        let whole = format!(
            "COMPD_CS[\"both\",{degrees},VERT_CS[\"h\",VERT_DATUM[\"h\",2005],UNIT[\"metre\",1]]]"
        );
        let newer = "GEODCRS[\"WGS 84\",DATUM[\"W\",ELLIPSOID[\"W\",6378137,298.2]],CS[ellipsoidal,2],\
            AXIS[\"lat\",north,ANGLEUNIT[\"degree\",0.01745]]]";
        let bound = format!(
            "BOUNDCRS[SOURCECRS[{METRES}],TARGETCRS[{degrees}],ABRIDGEDTRANSFORMATION[\"t\"]]"
        );
        for records in [
            text(degrees),
            text(&whole),
            text(newer),
            vec![keys(&[[1024, 0, 1, 2]])],
        ] {
            let said = read(&records, "m").unwrap_err();
            assert!(said.contains("longitude and latitude"), "{said}");
        }
        assert_eq!(read(&text(&bound), "m"), Ok(()));
    }

    #[test]
    fn records_that_are_cut_off_are_damage() {
        let mut bytes = las(&text(US_FEET));
        bytes[100] = 200;
        let options = CloudOptions {
            radius: 0.005,
            unit: Some("us-ft".to_owned()),
        };
        let said = parse(&bytes, Path::new("a.las"), &options).unwrap_err();
        assert!(said.to_string().contains("export it again"), "{said}");
    }
}
