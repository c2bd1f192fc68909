//! The facts that an expression needs about the file that it stands in.

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::value::PythonValue;

/// The values of names, and the files that functions of xacro read.
pub(super) trait NameLookup {
    /// The value of a name.
    fn lookup(&mut self, name: &str) -> Result<PythonValue, EvaluationError>;
    /// A name of an included file's scope.
    fn within(&mut self, scope: usize, name: &str) -> Result<PythonValue, EvaluationError>;
    /// `load_yaml(file)`.
    fn yaml(&mut self, file: &str) -> Result<PythonValue, EvaluationError>;
    /// A file name relative to the file that is expanded.
    fn file_name(&mut self, file: &str) -> Result<String, EvaluationError>;
    /// `$(arg name)`.
    fn argument(&mut self, name: &str) -> Result<PythonValue, EvaluationError>;
    fn budget(&mut self) -> &mut ExpansionBudget;
}
