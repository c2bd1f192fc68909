//! What an expression needs to know of the file that it stands in.

use super::budget::Budget;
use super::value::{Failure, Value};

/// What names mean, and what functions of xacro read.
pub(super) trait Names {
    /// The value of a name.
    fn lookup(&mut self, name: &str) -> Result<Value, Failure>;
    /// A name of an included file's scope.
    fn within(&mut self, scope: usize, name: &str) -> Result<Value, Failure>;
    /// `load_yaml(file)`.
    fn yaml(&mut self, file: &str) -> Result<Value, Failure>;
    /// A file name relative to the file that is expanded.
    fn file_name(&mut self, file: &str) -> Result<String, Failure>;
    /// `$(arg name)`.
    fn argument(&mut self, name: &str) -> Result<Value, Failure>;
    fn budget(&mut self) -> &mut Budget;
}
