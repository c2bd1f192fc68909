//! A batch split over machines.

use crate::error::Error;
use std::fmt;
use std::path::Path;

/// Part `k` of `n`, 1-based: every n-th program of the sorted list. Neighbours in a batch are often
/// alike, so each part gets its share of the slow ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    k: usize,
    n: usize,
}

impl Shard {
    /// Whether this part may be put into a result file of `before` (`None`: of the whole batch):
    /// what is there of another part would be lost.
    ///
    /// # Errors
    /// When it may not.
    pub(super) fn goes_on_in(&self, file: &Path, before: Option<&str>) -> Result<(), Error> {
        let now = self.to_string();
        // The one part of one is the whole.
        let same = before.map_or(self.n == 1, |before| before == now);
        if same {
            return Ok(());
        }
        let whose = before.map_or("the whole batch".to_owned(), |shard| {
            format!("shard {shard}")
        });
        Err(Error::usage(format!(
            "{} holds results of {whose}, and this run is shard {now}: name another file for it",
            file.display()
        )))
    }

    /// Reads `2/4`.
    ///
    /// # Errors
    /// When it is not that.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let numbers = text
            .split_once('/')
            .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((k, n)) if 1 <= k && k <= n => Ok(Self { k, n }),
            _ => Err(Error::usage("write `K/N` with K from 1 to N, as in `2/4`")),
        }
    }

    /// The part that a scheduler has given to this process: of a Slurm array, of an indexed job of
    /// Kubernetes, or of an array job of AWS Batch. `variable` looks up the environment.
    ///
    /// # Errors
    /// When there is no such part, or more than one, or its number or count is missing; it says
    /// what to set.
    pub fn scheduled(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let found: Vec<&Scheduler> = (SCHEDULERS.iter())
            .filter(|s| variable(s.index).is_some())
            .collect();
        let scheduler = match found[..] {
            [one] => one,
            [] => {
                let names: Vec<&str> = SCHEDULERS.iter().map(|s| s.index).collect();
                return Err(Error::usage(format!(
                    "--shard auto: no scheduler says which part this is (none of {} is set); write --shard K/N",
                    names.join(", ")
                )));
            }
            [first, second, ..] => {
                return Err(Error::usage(format!(
                    "--shard auto: both {} and {} are set, and it is not known which one counts; write --shard K/N",
                    first.index, second.index
                )));
            }
        };
        let number = |name: &str| -> Result<Option<usize>, Error> {
            let Some(text) = variable(name) else {
                return Ok(None);
            };
            text.trim().parse().map(Some).map_err(|_| {
                Error::usage(format!("--shard auto: {name} is `{text}`, which is not a number from 0 on; write --shard K/N"))
            })
        };
        scheduler.part(&number)
    }

    /// Which part, from 1 on.
    pub fn part(&self) -> usize {
        self.k
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.n
    }

    /// Why this part has no program, if there are so many in all and it has none.
    pub fn without_program(&self, programs: usize) -> Option<String> {
        let counted = |what| format!("{programs} {what}{}", if programs == 1 { "" } else { "s" });
        (self.k > programs).then(|| {
            format!(
                "part {self} has no program: the batch has {} for {} parts; take at most {}",
                counted("program"),
                self.n,
                counted("part")
            )
        })
    }

    /// Whether the program at this place of the sorted list belongs to this part.
    pub fn has(&self, index: usize) -> bool {
        index % self.n == self.k - 1
    }
}

/// A scheduler that runs many processes of one job.
struct Scheduler {
    /// Variable with the number of this process.
    index: &'static str,
    /// Variables with how many there are; the first one that is set counts.
    counts: &'static [&'static str],
    /// The remedy where none of them is set.
    remedy: &'static str,
    /// Variables with the least number, the greatest, and the step from one to the next, where
    /// numbers need not be 0, 1, 2, …
    range: Option<[&'static str; 3]>,
}

/// Where a scheduler does not say how many parts there are, the user does by this variable.
const PARTS: &str = "CLEARANCE_SHARDS";

const SCHEDULERS: [Scheduler; 3] = [
    Scheduler {
        index: "SLURM_ARRAY_TASK_ID",
        counts: &["SLURM_ARRAY_TASK_COUNT"],
        remedy: "it is Slurm that sets it: submit with --array=1-N, or write --shard K/N",
        range: Some([
            "SLURM_ARRAY_TASK_MIN",
            "SLURM_ARRAY_TASK_MAX",
            "SLURM_ARRAY_TASK_STEP",
        ]),
    },
    Scheduler {
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        counts: &["AWS_BATCH_JOB_ARRAY_SIZE", PARTS],
        remedy: "set CLEARANCE_SHARDS in the job definition to the size of the array",
        range: None,
    },
    Scheduler {
        index: "JOB_COMPLETION_INDEX",
        counts: &[PARTS],
        remedy: "set CLEARANCE_SHARDS in the container's env to the same number as `completions`",
        range: None,
    },
];

impl Scheduler {
    /// The part that the variables speak of.
    fn part(&self, number: &dyn Fn(&str) -> Result<Option<usize>, Error>) -> Result<Shard, Error> {
        let index = self.index;
        let id = number(index)?.unwrap_or_default();
        let mut count = None;
        for name in self.counts {
            count = count.or(number(name)?);
        }
        let missing = || {
            Error::usage(format!(
                "--shard auto: {index} is set, but not {}, which says how many parts there are; {}",
                self.counts.join(" or "),
                self.remedy
            ))
        };
        let n = count.ok_or_else(missing)?;
        let k = match self.range {
            None => id,
            Some([min, max, step]) => {
                let (min, max) = (number(min)?, number(max)?);
                let (Some(min), Some(max)) = (min, max) else {
                    return Err(Error::usage(format!(
                        "--shard auto: {index} is set, but not where its numbers begin and end; write --shard K/N"
                    )));
                };
                let step = number(step)?.unwrap_or(1).max(1);
                // Numbers with gaps (--array=1,3,7), or only some parts of an array that is run
                // again: nobody can say which parts the others are.
                let whole = max >= min && (max - min) / step + 1 == n;
                let within = (min..=max).contains(&id) && (id - min).is_multiple_of(step);
                if !whole || !within {
                    return Err(Error::usage(format!(
                        "--shard auto: the array has {n} tasks with numbers from {min} to {max} in steps of {step}, and this is number \
                         {id}: parts are known of arrays without gaps, such as --array=1-{n}; write --shard K/N"
                    )));
                }
                (id - min) / step
            }
        };
        if k < n {
            Ok(Shard { k: k + 1, n })
        } else {
            Err(Error::usage(format!(
                "--shard auto: {index} is {id}, but there are only {n} parts ({}), counted from 0",
                self.counts.join(" or ")
            )))
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_belongs_to_one_part() {
        for n in 1..7 {
            let parts: Vec<Shard> = (1..=n)
                .map(|k| Shard::parse(&format!("{k}/{n}")).unwrap())
                .collect();
            for index in 0..20 {
                assert_eq!(parts.iter().filter(|s| s.has(index)).count(), 1);
            }
        }
    }

    /// The part that a scheduler's variables state, as `NAME=VALUE`.
    fn scheduled(variables: &[String]) -> Result<Shard, Error> {
        Shard::scheduled(|name| {
            let mut pairs = variables.iter().filter_map(|v| v.split_once('='));
            Some(pairs.find(|(n, _)| *n == name)?.1.to_owned())
        })
    }

    fn slurm(id: usize, [min, max, step]: [usize; 3], count: usize) -> Result<Shard, Error> {
        scheduled(&[
            format!("SLURM_ARRAY_TASK_ID={id}"),
            format!("SLURM_ARRAY_TASK_MIN={min}"),
            format!("SLURM_ARRAY_TASK_MAX={max}"),
            format!("SLURM_ARRAY_TASK_STEP={step}"),
            format!("SLURM_ARRAY_TASK_COUNT={count}"),
        ])
    }

    /// The parts of all processes of a job are the whole, and no program belongs to two.
    #[test]
    fn scheduled_parts_are_the_whole_and_disjoint() {
        let kubernetes = |k| {
            scheduled(&[
                format!("JOB_COMPLETION_INDEX={k}"),
                "CLEARANCE_SHARDS=5".into(),
            ])
        };
        let aws = |k| {
            scheduled(&[
                format!("AWS_BATCH_JOB_ARRAY_INDEX={k}"),
                "AWS_BATCH_JOB_ARRAY_SIZE=5".into(),
            ])
        };
        let jobs: [(&str, Vec<Result<Shard, Error>>); 6] = [
            (
                "Slurm 1-5",
                (1..=5).map(|id| slurm(id, [1, 5, 1], 5)).collect(),
            ),
            (
                "Slurm 0-4",
                (0..5).map(|id| slurm(id, [0, 4, 1], 5)).collect(),
            ),
            (
                "Slurm 7-15:2",
                (0..5).map(|k| slurm(7 + 2 * k, [7, 15, 2], 5)).collect(),
            ),
            // The range need not end at the last task.
            (
                "Slurm 0-15:4",
                (0..4).map(|k| slurm(4 * k, [0, 15, 4], 4)).collect(),
            ),
            ("Kubernetes", (0..5).map(kubernetes).collect()),
            ("AWS Batch", (0..5).map(aws).collect()),
        ];
        for (job, parts) in jobs {
            let parts: Vec<Shard> = parts.into_iter().map(|p| p.unwrap()).collect();
            for index in 0..50 {
                let owners = parts.iter().filter(|s| s.has(index)).count();
                assert_eq!(owners, 1, "{job}: program {index}");
            }
            assert!(parts.iter().all(|p| p.parts() == parts.len()), "{job}");
        }
    }

    #[test]
    fn what_a_scheduler_leaves_open_is_refused_with_the_remedy() {
        for (variables, remedy) in [
            (
                "",
                "none of SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX, JOB_COMPLETION_INDEX is set",
            ),
            (
                "JOB_COMPLETION_INDEX=0",
                "set CLEARANCE_SHARDS in the container's env",
            ),
            ("JOB_COMPLETION_INDEX=3 CLEARANCE_SHARDS=3", "only 3 parts"),
            ("JOB_COMPLETION_INDEX=0 CLEARANCE_SHARDS=0", "only 0 parts"),
            ("JOB_COMPLETION_INDEX=a CLEARANCE_SHARDS=3", "not a number"),
            ("JOB_COMPLETION_INDEX=0 CLEARANCE_SHARDS=-3", "not a number"),
            (
                "AWS_BATCH_JOB_ARRAY_INDEX=0",
                "set CLEARANCE_SHARDS in the job definition",
            ),
            (
                "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=2",
                "only 2 parts",
            ),
            ("SLURM_ARRAY_TASK_ID=1", "not SLURM_ARRAY_TASK_COUNT"),
            (
                "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2",
                "begin and end",
            ),
            (
                "SLURM_ARRAY_TASK_ID=1 JOB_COMPLETION_INDEX=1 CLEARANCE_SHARDS=3",
                "which one counts",
            ),
        ] {
            let variables: Vec<String> = variables.split_whitespace().map(str::to_owned).collect();
            let said = scheduled(&variables).unwrap_err().to_string();
            assert!(said.contains(remedy), "{variables:?}: {said}");
        }
        // --array=1,3,7 and --array=4-6 of ten, as Slurm describes them.
        for (id, range, count) in [
            (3, [1, 7, 1], 3),
            (5, [1, 9, 2], 4),
            (8, [0, 15, 4], 5),
            (2, [1, 9, 2], 5),
            (11, [1, 9, 2], 5),
        ] {
            let said = slurm(id, range, count).unwrap_err().to_string();
            assert!(said.contains("arrays without gaps"), "{said}");
        }
    }

    #[test]
    fn a_part_knows_that_it_is_one_too_many() {
        let part = |text: &str| Shard::parse(text).unwrap();
        for (text, programs) in [("3/6", 3), ("1/1", 1), ("6/6", 7)] {
            assert_eq!(part(text).without_program(programs), None, "{text}");
        }
        for (text, programs, said) in [
            (
                "4/6",
                3,
                "the batch has 3 programs for 6 parts; take at most 3 parts",
            ),
            (
                "2/2",
                1,
                "the batch has 1 program for 2 parts; take at most 1 part",
            ),
        ] {
            let why = part(text).without_program(programs).unwrap();
            assert!(why.contains(said), "{why}");
            let none = (0..programs).all(|index| !part(text).has(index));
            assert!(none, "{text}");
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for wrong in ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Shard::parse("2/4").unwrap().to_string(), "2/4");
    }
}
