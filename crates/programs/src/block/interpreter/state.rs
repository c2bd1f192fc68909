//! The values to which a loop has to come back.

use super::*;
use crate::comes_back::StateAtPose;

impl<L: Language> BlockInterpreter<'_, L> {
    /// What the controller itself holds from one round to the next.
    pub(super) fn modes(&self) -> State {
        let mut modes = self.language.state();
        modes.extend(self.system_values());
        modes
    }

    /// The values of the modules' variables on which anything depends.
    pub(super) fn module_data(&self) -> BTreeMap<(usize, Name), Value> {
        let mut data = BTreeMap::new();
        for (k, variables) in self.modules.iter().enumerate() {
            for (name, variable) in variables {
                if let (true, false, Holds::Value(value)) =
                    (self.counts(name), variable.constant, &variable.holds)
                {
                    data.insert((k, name.clone()), value.clone());
                }
            }
        }
        data
    }

    /// The values on which the rest of the program depends here.
    pub(super) fn state(&self) -> State {
        self.state_where(arm::passed(self.controller, self.record.moves()))
    }

    /// The same with the arm at its pose.
    pub(super) fn state_at_pose(&self) -> Option<StateAtPose<State>> {
        let at_pose = arm::at_pose(self.controller, self.record.moves())?;
        Some(at_pose.map(|passed| self.state_where(passed)))
    }

    /// `passed`: the moves that say where the arm is.
    fn state_where(&self, passed: Vec<Value>) -> State {
        let mut state = self.data();
        for frame in &self.frames {
            self.add_state(&frame.variables, &mut state);
        }
        state.extend(self.language.state());
        state.extend(passed);
        self.flow.count(state.iter().map(Value::size).sum());
        state
    }

    /// The values that modules and the controller hold, as far as anything depends on them.
    fn data(&self) -> State {
        let mut state = Vec::new();
        for variables in &self.modules {
            self.add_state(variables, &mut state);
        }
        state.extend(self.system_values());
        state
    }

    /// The values of the controller's own variables.
    fn system_values(&self) -> impl Iterator<Item = Value> {
        self.system.values().filter_map(|v| match &v.holds {
            Holds::Value(value) => Some(value.clone()),
            _ => None,
        })
    }

    fn add_state(&self, variables: &BTreeMap<Name, Variable>, state: &mut State) {
        for (name, variable) in variables {
            if !self.counts(name) || variable.constant {
                continue;
            }
            state.push(match &variable.holds {
                Holds::Value(value) => value.clone(),
                _ => Value::Array(Vec::new()),
            });
        }
    }
}
