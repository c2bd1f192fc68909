//! Programs that come as arrays, from a planner rather than from a file.

use std::path::{Path, PathBuf};

use clearance_proof::model::{Column, Program, Quantity, Waypoint};

use crate::{ImportError, Problem};

/// A table of numbers, row after row.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// All rows, one after the other.
    pub values: &'a [f64],
    /// Numbers in a row.
    pub columns: usize,
}

impl<'a> Rows<'a> {
    fn row(self, k: usize) -> &'a [f64] {
        &self.values[k * self.columns..][..self.columns]
    }
}

/// A motion as arrays. Rows are waypoints, columns are joints; radians or metres, seconds.
#[derive(Debug, Clone, Copy)]
pub struct Arrays<'a> {
    /// The name that reports give to the program.
    pub name: &'a str,
    /// Joint of each column: `joint`, or `robot/joint`.
    pub joints: &'a [String],
    /// Time of each waypoint; none: the waypoint's number.
    pub times: Option<&'a [f64]>,
    /// Positions, one row a waypoint.
    pub positions: Rows<'a>,
    /// Velocities in the same shape: the motion is cubic.
    pub velocities: Option<Rows<'a>>,
    /// Accelerations in the same shape, beside velocities: the motion is quintic.
    pub accelerations: Option<Rows<'a>>,
}

impl Arrays<'_> {
    /// The program of these arrays. The line of a waypoint is its row, counted from 1.
    ///
    /// # Errors
    /// When shapes do not agree, a joint is named twice, a number is not finite, or times do not
    /// increase.
    pub fn program(&self) -> Result<Program, ImportError> {
        let count = self.waypoints()?;
        self.names()?;
        if self.accelerations.is_some() && self.velocities.is_none() {
            return Err(self.bad(
                "there are accelerations without velocities",
                "give both, or neither",
            ));
        }
        let tables = [
            ("positions", Some(self.positions)),
            ("velocities", self.velocities),
            ("accelerations", self.accelerations),
        ];
        for (what, table) in tables {
            let Some(table) = table else { continue };
            self.shape(what, table, count)?;
        }
        if let Some(times) = self.times {
            self.increasing(times, count)?;
        }
        let waypoint = |k: usize| Waypoint {
            time: self.times.map_or(k as f64, |times| times[k]),
            positions: self.positions.row(k).into(),
            velocities: self.velocities.map(|table| table.row(k).into()),
            accelerations: self.accelerations.map(|table| table.row(k).into()),
            line: k + 1,
        };
        let column = |joint: &String| Column {
            joint: joint.clone().into(),
            line: Some(1),
            quantity: Quantity::Message,
        };
        Ok(Program {
            source: PathBuf::from(self.name),
            columns: self.joints.iter().map(column).collect(),
            waypoints: (0..count).map(waypoint).collect(),
            timed: self.times.is_some(),
            ..Program::default()
        })
    }

    /// How many there are.
    fn waypoints(&self) -> Result<usize, ImportError> {
        let Rows { values, columns } = self.positions;
        if columns == 0 || values.is_empty() {
            return Err(self.bad(
                "the program is empty: there are no positions",
                "give an array of at least one row (a waypoint) and one column (a joint)",
            ));
        }
        Ok(values.len() / columns)
    }

    fn names(&self) -> Result<(), ImportError> {
        let columns = self.positions.columns;
        if self.joints.len() != columns {
            let cause = format!(
                "{} joint names for {columns} columns of positions",
                self.joints.len()
            );
            return Err(self.bad(&cause, "name the joint of each column"));
        }
        let mut sorted: Vec<&String> = self.joints.iter().collect();
        sorted.sort();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.bad(
                &format!("joint `{}` is named twice", pair[0]),
                "keep one of the two columns",
            )),
            None => Ok(()),
        }
    }

    fn shape(&self, what: &str, table: Rows, count: usize) -> Result<(), ImportError> {
        let Rows { values, columns } = table;
        if columns != self.positions.columns || values.len() != count * columns {
            let rows = values.len().checked_div(columns).unwrap_or(0);
            let cause = format!(
                "{what} have the shape ({rows}, {columns}), positions ({count}, {})",
                self.positions.columns
            );
            return Err(self.bad(&cause, "give arrays of the same shape"));
        }
        match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(self.value(
                format!("{what}[{}, {}]", at / columns, at % columns),
                values[at].to_string(),
                "give a finite number, in radians or metres",
            )),
            None => Ok(()),
        }
    }

    fn increasing(&self, times: &[f64], count: usize) -> Result<(), ImportError> {
        if times.len() != count {
            let cause = format!("{} times for {count} rows of positions", times.len());
            return Err(self.bad(&cause, "give one time for each row"));
        }
        for (k, &time) in times.iter().enumerate() {
            if !time.is_finite() {
                return Err(self.value(
                    format!("times[{k}]"),
                    time.to_string(),
                    "give a finite number of seconds",
                ));
            }
            if k > 0 && time <= times[k - 1] {
                return Err(self.value(
                    format!("times[{k}]"),
                    format!("{time} s, after {} s", times[k - 1]),
                    "times must increase from row to row",
                ));
            }
        }
        Ok(())
    }

    fn bad(&self, cause: &str, remedy: &str) -> ImportError {
        let problem = Problem::Syntax {
            cause: cause.to_owned(),
            remedy: remedy.to_owned(),
        };
        ImportError::file(Path::new(self.name), problem)
    }

    /// `what` says which row, counted from 0 as in the arrays: no line is stated beside it.
    fn value(&self, what: String, value: String, remedy: &str) -> ImportError {
        let problem = Problem::BadValue {
            what,
            value,
            remedy: remedy.to_owned(),
        };
        ImportError::file(Path::new(self.name), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[f64]) -> Rows<'_> {
        Rows { values, columns: 2 }
    }

    fn joints() -> Vec<String> {
        ["a", "b"].map(String::from).to_vec()
    }

    #[test]
    fn arrays_are_the_program_that_the_same_table_is() {
        let joints = joints();
        let arrays = Arrays {
            name: "plan",
            joints: &joints,
            times: Some(&[0.0, 1.5]),
            positions: table(&[0.0, 1.0, 2.0, 3.0]),
            velocities: Some(table(&[0.1, 0.2, 0.3, 0.4])),
            accelerations: None,
        };
        let program = arrays.program().unwrap();
        let rows: Vec<_> = (program.waypoints.iter())
            .map(|w| {
                (
                    w.time,
                    w.positions.to_vec(),
                    w.velocities.as_deref().map(<[f64]>::to_vec),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (0.0, vec![0.0, 1.0], Some(vec![0.1, 0.2])),
                (1.5, vec![2.0, 3.0], Some(vec![0.3, 0.4]))
            ]
        );
        assert!(program.timed);
        let untimed = Arrays {
            times: None,
            ..arrays
        };
        let untimed = untimed.program().unwrap();
        assert!(!untimed.timed);
        assert_eq!(untimed.waypoints[1].time, 1.0);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_its_place() {
        let joints = joints();
        let good = Arrays {
            name: "plan",
            joints: &joints,
            times: Some(&[0.0, 1.5]),
            positions: table(&[0.0, 1.0, 2.0, 3.0]),
            velocities: None,
            accelerations: None,
        };
        let twice = ["a", "a"].map(String::from);
        let cases = [
            (
                Arrays {
                    times: Some(&[0.0]),
                    ..good
                },
                "1 times for 2 rows",
            ),
            (
                Arrays {
                    times: Some(&[0.0, 0.0]),
                    ..good
                },
                "must increase",
            ),
            (
                Arrays {
                    times: Some(&[0.0, f64::NAN]),
                    ..good
                },
                "plan: times[1] is NaN",
            ),
            (
                Arrays {
                    positions: table(&[0.0, 1.0, 2.0, f64::INFINITY]),
                    ..good
                },
                "plan: positions[1, 1] is inf",
            ),
            (
                Arrays {
                    positions: table(&[0.0, 1.0, 2.0]),
                    times: None,
                    ..good
                },
                "shape",
            ),
            (
                Arrays {
                    positions: table(&[]),
                    ..good
                },
                "empty",
            ),
            (
                Arrays {
                    velocities: Some(table(&[0.0, 1.0])),
                    ..good
                },
                "velocities have the shape (1, 2), positions (2, 2)",
            ),
            (
                Arrays {
                    accelerations: Some(table(&[0.0; 4])),
                    ..good
                },
                "without velocities",
            ),
            (
                Arrays {
                    joints: &joints[..1],
                    ..good
                },
                "1 joint names for 2 columns",
            ),
            (
                Arrays {
                    joints: &twice,
                    ..good
                },
                "`a` is named twice",
            ),
        ];
        for (arrays, expected) in cases {
            let error = arrays.program().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}: {expected}");
        }
    }
}
