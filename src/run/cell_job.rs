//! The cell of a run, and how it is read.

use std::path::PathBuf;
use std::sync::Arc;

use clearance_formats::mesh::KeptMeshes;
use clearance_formats::{ImportError, LoadOptions, LoadedCell, load_cell, load_robot};

use crate::findings::{Code, Diagnostic};

/// Where the cell comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellSource {
    /// A cell file.
    File(PathBuf),
    /// The short form: one robot at the world's origin, obstacles in world coordinates.
    Robot {
        /// URDF.
        urdf: PathBuf,
        /// Its SRDF.
        srdf: Option<PathBuf>,
        /// Its joint limits (`joint_limits.yaml`).
        joint_limits: Option<PathBuf>,
        /// Arguments of xacro for both, names and values.
        xacro_args: Vec<(String, String)>,
        /// Mesh files.
        obstacles: Vec<PathBuf>,
    },
}

impl CellSource {
    /// How the user named it.
    pub fn name(&self) -> String {
        let (CellSource::File(path) | CellSource::Robot { urdf: path, .. }) = self;
        path.display().to_string()
    }
}

/// Where sphere trees are kept between runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CacheFolder {
    /// The user's cache folder.
    #[default]
    Default,
    /// This folder.
    At(PathBuf),
    /// Nowhere.
    Off,
}

/// A cell and how it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellJob {
    /// Where it comes from.
    pub source: CellSource,
    /// Nobody named it: it is the cell file of the folder.
    pub by_default: bool,
    /// Scenes of MoveIt beside what the cell has.
    pub scenes: Vec<PathBuf>,
    /// `package://` roots by name.
    pub packages: Vec<(String, PathBuf)>,
    /// Links without `<collision>` are checked by their `<visual>` geometry.
    pub visual_as_collision: bool,
    /// Where sphere trees are kept.
    pub cache: CacheFolder,
    /// Number of threads; `None`: all cores.
    pub threads: Option<usize>,
}

impl CellJob {
    /// A cell file with nothing out of the ordinary.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            source: CellSource::File(path.into()),
            by_default: false,
            scenes: Vec::new(),
            packages: Vec::new(),
            visual_as_collision: false,
            cache: CacheFolder::Default,
            threads: None,
        }
    }

    /// The note for reports where nobody named the cell.
    pub fn default_cell(&self) -> Option<Diagnostic> {
        let message = "no --cell was given: this file of the folder is the cell";
        let note = || Diagnostic::note(Code::DefaultCell, self.source.name(), message);
        self.by_default.then(note)
    }

    /// Reads a cell that does not come from a pack, where large meshes may be kept.
    pub(super) fn load_kept(
        &self,
        kept: Option<Arc<dyn KeptMeshes>>,
    ) -> Result<LoadedCell, ImportError> {
        let mut options = LoadOptions {
            visual_as_collision: self.visual_as_collision,
            srdf: None,
            joint_limits: None,
            xacro_args: Vec::new(),
            scenes: self.scenes.clone(),
            package_roots: self.packages.clone(),
            only_package_roots: false,
            kept,
        };
        match &self.source {
            CellSource::File(path) => load_cell(path, &options),
            CellSource::Robot {
                urdf,
                srdf,
                joint_limits,
                xacro_args,
                obstacles,
            } => {
                options.srdf.clone_from(srdf);
                options.joint_limits.clone_from(joint_limits);
                options.xacro_args.clone_from(xacro_args);
                load_robot(urdf, obstacles, &options)
            }
        }
    }
}
