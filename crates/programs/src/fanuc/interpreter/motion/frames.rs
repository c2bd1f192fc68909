//! Tools and frames that moves refer to.

use super::super::kept::Kept;
use super::*;

impl FanucInterpreter<'_> {
    pub(super) fn tool(&mut self, aim: &Aim, place: &Location) -> Result<Frame, Fault> {
        let number = self.number(aim.tool, self.way.state.tool.clone(), "UTOOL", place);
        let mut flange =
            (self.way.controller.flange(Some("tool0"))).map_err(|r| Fault::new(place, r))?;
        let tool = number.and_then(|number| self.tool_of(number, place));
        match (tool, &aim.position) {
            (Ok(tool), _) => flange.link_from_frame *= tool,
            // The end is known all the same.
            (Err(fault), Position::Joints(_)) => self.way.record.unknown(fault),
            (Err(fault), _) => return Err(fault),
        }
        Ok(flange)
    }

    fn tool_of(&self, number: u32, place: &Location) -> Result<Isometry3<f64>, Fault> {
        if let Some(own) = self.way.state.tools.get(&number) {
            let own = own
                .as_ref()
                .map_err(|why| Fault::new(place, why.reason.clone()))?;
            return Ok(pose(own));
        }
        let name = format!("UTOOL[{number}]");
        if let Some(reason) = self.way.text.kept.why(Kept::Tool, number, &name) {
            return Err(Fault::new(place, reason));
        }
        // Number 0 is the flange itself.
        let zero = (number == 0).then(Isometry3::identity);
        let listed = self.backup.tools.get(&number).map(pose);
        let found = self
            .way
            .controller
            .tool(&number.to_string())
            .or(zero)
            .or(listed);
        found.ok_or_else(|| {
            Fault::new(
                place,
                format!("UTOOL {number} is in no listing; write `tools = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"),
            )
        })
    }

    pub(super) fn frame_of(&self, number: u32, place: &Location) -> Result<Frame, Fault> {
        let fail = |reason: String| Fault::new(place, reason);
        let in_base = |values: &[f64; 6]| {
            let mut base = self.way.controller.base(None).map_err(fail)?;
            base.link_from_frame *= pose(values);
            Ok(base)
        };
        if let Some(own) = self.way.state.frames.get(&number) {
            return in_base(own.as_ref().map_err(|why| fail(why.reason.clone()))?);
        }
        let name = format!("UFRAME[{number}]");
        if let Some(reason) = self.way.text.kept.why(Kept::Frame, number, &name) {
            return Err(fail(reason));
        }
        if let Some(frame) = self.way.controller.frame(&number.to_string()) {
            return Ok(frame.clone());
        }
        match self.backup.frames.get(&number) {
            Some(values) => in_base(values),
            None if number == 0 => in_base(&[0.0; 6]),
            None => Err(fail(format!(
                "UFRAME {number} is in no listing; write `frames = {{ {number} = {{ xyz = […], rpy = […] }} }}` in the robot's `controller`"
            ))),
        }
    }
}
