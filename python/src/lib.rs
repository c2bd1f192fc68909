//! The Python module behind `import clearance`: cells, motions as arrays, answers as JSON text that
//! the Python side makes dataclasses of. What it answers is what the command answers, because it
//! calls the same functions.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clearance::findings::ProgramOutcome;
use clearance::render::printable_json;
use clearance::run::{
    CacheFolder, CellJob, CellSource, Configurations, Job, MinimumScope, NoProgress, Prepared,
    Settings, Verifier, prepare,
};
use clearance_formats::program::arrays::{Arrays, Rows};
use clearance_proof::check::SpareThreads;
use clearance_proof::model::{Interpolation, Program};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

create_exception!(
    _clearance,
    ClearanceError,
    PyException,
    "What the command prints after `error:`: the file, the line, the cause and the remedy."
);

/// A verifier beside the cell and the options that it borrows.
struct Owner {
    job: Job,
    prepared: Arc<Prepared>,
}

self_cell::self_cell!(
    struct Ready {
        owner: Owner,
        #[not_covariant]
        dependent: Verifier,
    }
);

/// A cell that has been read and whose sphere trees are there.
#[pyclass(frozen, module = "clearance")]
struct Cell {
    job: CellJob,
    prepared: Arc<Prepared>,
    /// The verifier for the options of the last call: most callers keep them.
    last: Mutex<Option<Arc<Ready>>>,
}

/// The options of a check, as the command has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Options {
    clearance: Option<f64>,
    resolution: Option<f64>,
    warn: Option<f64>,
    limits: Option<bool>,
    all: bool,
    minimum: Option<String>,
    minimum_pairs: Option<f64>,
    interpolation: Option<String>,
    time_limit: Option<f64>,
}

impl Options {
    fn job(&self, cell: &CellJob) -> PyResult<Job> {
        let interpolation = match self.interpolation.as_deref() {
            None => None,
            Some("linear") => Some(Interpolation::Linear),
            Some("cubic") => Some(Interpolation::Cubic),
            Some("quintic") => Some(Interpolation::Quintic),
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "interpolation is `{other}`; give \"linear\", \"cubic\" or \"quintic\""
                )));
            }
        };
        let time_limit = match self.time_limit.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(limit)) if !limit.is_zero() => Some(limit),
            Some(_) => {
                return Err(PyValueError::new_err(
                    "time_limit is a number of seconds above 0",
                ));
            }
        };
        Ok(Job {
            cell: cell.clone(),
            clearance: self.clearance,
            resolution: self.resolution,
            warn: self.warn,
            limits: self.limits,
            all: self.all,
            minimum: match self.minimum.as_deref() {
                None => None,
                Some("overall") => Some(MinimumScope::Overall),
                Some(_) => Some(MinimumScope::Classes),
            },
            minimum_pairs: self.minimum_pairs,
            interpolation,
            time_limit,
            ..Job::new("", Vec::new())
        })
    }
}

/// A motion as numpy arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Motion<'py> {
    name: String,
    joints: Vec<String>,
    times: Option<PyReadonlyArray1<'py, f64>>,
    positions: PyReadonlyArray2<'py, f64>,
    velocities: Option<PyReadonlyArray2<'py, f64>>,
    accelerations: Option<PyReadonlyArray2<'py, f64>>,
}

impl Motion<'_> {
    fn program(&self) -> PyResult<Program> {
        let rows = |array: &PyReadonlyArray2<f64>| {
            let columns = array.shape()[1];
            let values: Vec<f64> = array.as_array().iter().copied().collect();
            (values, columns)
        };
        let times: Option<Vec<f64>> =
            (self.times.as_ref()).map(|t| t.as_array().iter().copied().collect());
        let positions = rows(&self.positions);
        let velocities = self.velocities.as_ref().map(rows);
        let accelerations = self.accelerations.as_ref().map(rows);
        fn table((values, columns): &(Vec<f64>, usize)) -> Rows<'_> {
            Rows {
                values,
                columns: *columns,
            }
        }
        let arrays = Arrays {
            name: &self.name,
            joints: &self.joints,
            times: times.as_deref(),
            positions: table(&positions),
            velocities: velocities.as_ref().map(table),
            accelerations: accelerations.as_ref().map(table),
        };
        (arrays.program()).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn refused(error: impl ToString) -> PyErr {
    ClearanceError::new_err(error.to_string())
}

/// The text of one program's answer, as it stands in the JSON report.
fn text(outcome: &ProgramOutcome) -> String {
    // Serializing plain data to a string cannot fail: no map has keys other than strings, and
    // nothing is written to disk.
    printable_json(serde_json::to_string(outcome).unwrap_or_default())
}

#[pymethods]
impl Cell {
    /// Reads a cell file, or a robot with obstacles, and builds or fetches the sphere trees.
    #[staticmethod]
    #[pyo3(signature = (file, urdf, srdf, obstacles, packages, visual_as_collision, cache, cache_dir))]
    #[allow(clippy::too_many_arguments)] // Keywords on the Python side.
    fn open(
        py: Python<'_>,
        file: Option<PathBuf>,
        urdf: Option<PathBuf>,
        srdf: Option<PathBuf>,
        obstacles: Vec<PathBuf>,
        packages: Vec<(String, PathBuf)>,
        visual_as_collision: bool,
        cache: bool,
        cache_dir: Option<PathBuf>,
    ) -> PyResult<Self> {
        let source = match (file, urdf) {
            (Some(file), None) => CellSource::File(file),
            (None, Some(urdf)) => CellSource::Robot {
                urdf,
                srdf,
                joint_limits: None,
                xacro_args: Vec::new(),
                obstacles,
            },
            _ => return Err(PyValueError::new_err("give a cell file or a URDF")),
        };
        let job = CellJob {
            source,
            by_default: false,
            scenes: Vec::new(),
            packages,
            visual_as_collision,
            cache: match (cache, cache_dir) {
                (false, _) => CacheFolder::Off,
                (true, Some(folder)) => CacheFolder::At(folder),
                (true, None) => CacheFolder::Default,
            },
            threads: None,
        };
        let prepared = py.detach(|| prepare(&job, &NoProgress).map_err(refused))?;
        Ok(Self {
            job,
            prepared: Arc::new(prepared),
            last: Mutex::new(None),
        })
    }

    /// Joints that a configuration without names has values for, in their order.
    fn joints(&self) -> PyResult<Vec<String>> {
        let settings = Settings::of(
            &Job::new("", Vec::new()),
            Some(&self.prepared.loaded.settings),
        );
        Ok(Configurations::new(&self.prepared, settings.map_err(refused)?).joints())
    }

    /// The cell's notices, notes and what is not checked, as JSON.
    fn remarks(&self) -> PyResult<String> {
        let job = Job::new("", Vec::new());
        let settings = Settings::of(&job, Some(&self.prepared.loaded.settings)).map_err(refused)?;
        let limits = settings.unjudged_limits(&job);
        let all: Vec<_> = (self.prepared.notices.iter())
            .chain(&self.prepared.unchecked)
            .chain(&limits)
            .chain(&self.prepared.notes)
            .collect();
        Ok(printable_json(
            serde_json::to_string(&all).unwrap_or_default(),
        ))
    }

    /// Checks one motion.
    fn check(&self, py: Python<'_>, motion: Motion, options: Options) -> PyResult<String> {
        let program = motion.program()?;
        let ready = self.ready(&options)?;
        Ok(py.detach(|| ready.with_dependent(|_, v| text(&v.verify_program(&program, &|_| ())))))
    }

    /// Checks many motions on all cores, or on so many threads.
    fn check_many(
        &self,
        py: Python<'_>,
        motions: Vec<Motion>,
        options: Options,
        threads: Option<usize>,
    ) -> PyResult<Vec<String>> {
        let programs: Vec<Program> = (motions.iter())
            .map(Motion::program)
            .collect::<PyResult<_>>()?;
        drop(motions);
        let ready = self.ready(&options)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build()
            .map_err(refused)?;
        Ok(py.detach(|| {
            ready.with_dependent(|_, verifier| {
                let spare = SpareThreads::of(pool.current_num_threads());
                let verifier = &verifier.clone().helped_by(&spare);
                let answer = |program: &Program| text(&verifier.verify_program(program, &|_| ()));
                pool.install(|| programs.par_iter().map(answer).collect())
            })
        }))
    }

    /// Checks a program file.
    fn check_file(&self, py: Python<'_>, file: PathBuf, options: Options) -> PyResult<String> {
        let ready = self.ready(&options)?;
        Ok(py.detach(|| ready.with_dependent(|_, v| text(&v.verify_file(&file, &|_| ())))))
    }

    /// Answers configurations: one JSON object per line of `lines`, as `clearance distance` reads
    /// them.
    fn distances(
        &self,
        py: Python<'_>,
        lines: Vec<String>,
        clearance: Option<f64>,
    ) -> PyResult<Vec<String>> {
        let job = Job {
            clearance,
            ..Job::new("", Vec::new())
        };
        let settings = Settings::of(&job, Some(&self.prepared.loaded.settings)).map_err(refused)?;
        self.possible()?;
        Ok(py.detach(|| {
            let mut configurations = Configurations::new(&self.prepared, settings);
            let mut answer = |(k, line): (usize, &String)| {
                let answer = configurations.answer(k + 1, line);
                printable_json(serde_json::to_string(&answer).unwrap_or_default())
            };
            lines.iter().enumerate().map(&mut answer).collect()
        }))
    }
}

impl Cell {
    /// A verifier for these options.
    fn ready(&self, options: &Options) -> PyResult<Arc<Ready>> {
        let job = options.job(&self.job)?;
        // Nothing is left half done in there that a panic elsewhere could have broken.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = last.as_ref()
            && ready.borrow_owner().job == job
        {
            return Ok(ready.clone());
        }
        let owner = Owner {
            job,
            prepared: self.prepared.clone(),
        };
        let ready = Ready::try_new(owner, |owner| {
            Verifier::new(&owner.job, &owner.prepared).map_err(refused)
        });
        let ready = Arc::new(ready?);
        *last = Some(ready.clone());
        Ok(ready)
    }

    /// Whether single configurations can be asked about.
    fn possible(&self) -> PyResult<()> {
        self.prepared.refuse_impossible().map_err(refused)
    }
}

/// Runs the command line (the first word is the program's name) and gives its exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| clearance::cli::exit_code(words))
}

#[pymodule]
fn _clearance(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Cell>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add("ClearanceError", module.py().get_type::<ClearanceError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
