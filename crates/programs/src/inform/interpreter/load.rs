//! What a job says before its first instruction.

use super::*;

impl InformInterpreter<'_> {
    /// Takes over the content of a job before it runs: its doubts, its groups and its position
    /// variables.
    pub(super) fn take_over(&mut self, job: &InformJob) {
        job.doubts
            .iter()
            .for_each(|d| self.way.record.unknown(d.clone()));
        self.way.state.on_carriage |= job.groups.iter().any(|group| group.starts_with("BS"));
        self.groups(job);
        for (&(kind, number), point) in &job.points {
            if kind != PointKind::Variable {
                continue;
            }
            match self.way.state.listed.get(&number) {
                Some(old) if old.data != point.data || old.tool != point.tool => {
                    let reason = format!("`P{number:03}` is another position in `{}`", old.place);
                    self.way.record.unknown(Fault::new(&point.place, reason));
                }
                _ => _ = self.way.state.listed.insert(number, point.clone()),
            }
        }
    }

    /// Only one arm is followed; what else the job's groups hold has to stand still.
    fn groups(&mut self, job: &InformJob) {
        let moves = |line: &SourceLine| {
            let word = LineCursor::new(&line.text).word();
            ["MOVJ", "MOVL", "MOVC", "IMOV"].contains(&word)
        };
        if !job.lines.iter().any(moves) {
            return;
        }
        let at = &job.groups_at;
        let mut unknown = |reason: String| self.way.record.unknown(Fault::new(at, reason));
        let Some((arm, others)) = job.groups.split_first() else {
            return unknown("the job does not say which control group it moves".to_owned());
        };
        if let Some(at) = &job.based
            && others.iter().any(|group| group.starts_with("BS"))
        {
            let reason = "poses of POSTYPE BASE count from the foot of the carriage, and where the arm stands on it is not said";
            self.way.record.unknown(Fault::new(at, reason));
        }
        let mut unknown = |reason: String| self.way.record.unknown(Fault::new(at, reason));
        let robot = self.way.controller.robot_name();
        let own = match &robot {
            Some(name) if name.starts_with("RB") => name.as_str(),
            _ => "RB1",
        };
        if arm != own {
            unknown(format!(
                "the job moves the group `{arm}`, and the robot of the cell is taken for `{own}`; give the robot the name `{arm}` if it is that one"
            ));
        }
        for group in others {
            if !self.way.controller.is_still(group) {
                unknown(format!(
                    "the job also moves the group `{group}`; if it stands still where the cell has it, write `still = [\"{group}\"]` in the robot's `controller`"
                ));
            }
        }
    }
}
