//! Statements.

use super::Parser;
use super::expression::{acts, beside_indices};
use crate::block::Does;
use crate::block::cursor::Read;
use crate::block::lex::{Token, TokenKind};
use crate::block::syntax::{Argument, Call, Expression, For, Name, Statement, StatementKind};
use crate::krl::builtin;
use crate::krl::words::{ASKING, BRAKING, MOVES};

/// Instructions for external axes that move while the program goes on.
const ASYNCHRONOUS: &[&str] = &["asyptp", "asycont", "asystop", "asycancel"];

impl Parser<'_> {
    fn body(&mut self, ends: &[&str]) -> Read<Vec<Statement>> {
        let mut body = Vec::new();
        self.blank();
        while !ends.contains(&self.word()) {
            if self.token().what == TokenKind::End {
                return self.fail(&format!("`{}`", ends[0].to_uppercase()));
            }
            body.push(self.deeper(Self::statement)?);
            self.blank();
        }
        Ok(body)
    }

    pub(super) fn statement(&mut self) -> Read<Statement> {
        let (place, start) = (self.place(), self.at());
        let mut what = match () {
            () if self.accept("if") => {
                let condition = self.expression()?;
                self.expect("then")?;
                let yes = self.body(&["else", "endif"])?;
                let no = if self.accept("else") {
                    self.body(&["endif"])?
                } else {
                    Vec::new()
                };
                self.expect("endif")?;
                StatementKind::If(vec![(condition, yes)], no)
            }
            () if self.accept("for") => self.count()?,
            () if self.accept("while") => {
                let condition = self.expression()?;
                let body = self.body(&["endwhile"])?;
                self.step();
                StatementKind::While(condition, body)
            }
            () if self.accept("repeat") => {
                let body = self.body(&["until"])?;
                self.step();
                StatementKind::Repeat(body, self.expression()?)
            }
            () if self.accept("loop") => {
                let body = self.body(&["endloop"])?;
                self.step();
                StatementKind::Loop(body)
            }
            () if self.accept("switch") => self.switch()?,
            () if self.accept("exit") => StatementKind::Leave,
            () if self.accept("goto") => StatementKind::Goto(self.name("a label")?),
            () if self.accept("return") => {
                if self.ends() {
                    StatementKind::Return(None)
                } else {
                    StatementKind::Return(Some(self.expression()?))
                }
            }
            () if self.accept("halt") => StatementKind::Pass("HALT".into()),
            () if self.accept("continue") => StatementKind::Pass("CONTINUE".into()),
            () if self.accept("wait") => {
                if !self.accept("for") {
                    self.expect("sec")?;
                }
                let value = Some(self.expression()?);
                StatementKind::Call(Call {
                    name: "wait".into(),
                    arguments: vec![Argument::by_place(value)],
                })
            }
            () if self.accept("brake") => {
                self.accept("f");
                StatementKind::unread(
                    "`BRAKE` stops the arm on its way: where it goes on from is not known".into(),
                )
            }
            () if self.accept("resume") => {
                StatementKind::unread("`RESUME` leaves routines from within an interrupt".into())
            }
            () if self.word() == "global" || self.word() == "interrupt" => self.interrupt()?,
            () if self.accept("trigger") => self.trigger()?,
            () if ["spline", "ptp_spline"].contains(&self.word()) && !self.is_set() => {
                let written = self.word().to_uppercase();
                self.step();
                while self.word() != "endspline" && self.token().what != TokenKind::End {
                    self.step();
                }
                self.expect("endspline")?;
                self.rest_of_line();
                let reason = format!(
                    "a `{written}` block is not read: the curve between its points is the maker's"
                );
                StatementKind::unread(reason.into())
            }
            () if self.word() == "on_error_proceed" && !self.is_set() => {
                self.rest_of_line();
                let reason = "`ON_ERROR_PROCEED` lets the program go on where a statement fails: what holds then is not known";
                StatementKind::unread(reason.into())
            }
            () if self.starts_spline_statement() => {
                let written = self.word().to_uppercase();
                self.rest_of_line();
                let reason =
                    format!("`{written}` bends or stops a motion along a spline: that is not read");
                StatementKind::unread(reason.into())
            }
            () if ASYNCHRONOUS.contains(&self.word()) && self.is_instruction() => {
                let written = self.word().to_uppercase();
                self.rest_of_line();
                let reason = format!(
                    "`{written}` moves or stops external axes while the program goes on: that is not read"
                );
                StatementKind::unread(reason.into())
            }
            () if self.word() == "confirm" && self.is_instruction() => {
                self.step();
                if acts(&self.expression()?) {
                    let reason = "a function in which message is confirmed is not read";
                    StatementKind::unread(reason.into())
                } else {
                    StatementKind::Pass("CONFIRM".into())
                }
            }
            () if self.word() == "anout" && self.goes_on_or_off() => self.output()?,
            () if ["anin", "digin"].contains(&self.word()) && self.goes_on_or_off() => self.input(),
            () if MOVES.contains(&self.word()) && !self.is_set() => self.motion()?,
            () => self.simple()?,
        };
        if let StatementKind::Unread(_, names) = &mut what {
            *names = self.set_since(start);
        }
        self.end_line()?;
        Ok(Statement { place, what })
    }

    /// Whether one of the statements begins here that belong to splines, which may stand behind
    /// moves too: `STOP WHEN PATH=50 IF $IN[1]`, `CONST_VEL START=10`, `TIME_BLOCK START`.
    fn starts_spline_statement(&self) -> bool {
        let next = match self.after(1) {
            TokenKind::Name(word, _) => &**word,
            _ => return false,
        };
        match self.word() {
            "stop" => next == "when",
            "const_vel" => ["start", "end"].contains(&next),
            "time_block" => ["start", "part", "end"].contains(&next),
            _ => false,
        }
    }

    /// The names in what was read since a place that something there may set: what stands before
    /// `=`, and all that a routine or function is handed.
    fn set_since(&self, start: usize) -> Vec<Name> {
        let tokens = self.tokens_since(start);
        let kind = |k: usize| tokens.get(k).map(|token| &token.what);
        let mut names = Vec::new();
        // Which of the open parentheses are those of a call.
        let mut calls = Vec::new();
        for k in 0..tokens.len() {
            match kind(k) {
                Some(TokenKind::Symbol("(")) => {
                    let before = k.checked_sub(1).and_then(kind);
                    calls.push(matches!(before, Some(TokenKind::Name(..))));
                }
                Some(TokenKind::Symbol(")")) => _ = calls.pop(),
                Some(TokenKind::Name(name, _)) => {
                    let is_set = kind(behind_path(tokens, k)) == Some(&TokenKind::Symbol("="));
                    if is_set || calls.contains(&true) {
                        names.push(name.clone());
                    }
                }
                _ => {}
            }
        }
        names
    }

    fn rest_of_line(&mut self) {
        while !self.ends() {
            self.step();
        }
    }

    /// Whether the word here is a variable that is set: instructions are not reserved words
    /// everywhere.
    fn is_set(&self) -> bool {
        *self.after(1) == TokenKind::Symbol("=")
    }

    /// Whether the word here begins an instruction without parentheses.
    fn is_instruction(&self) -> bool {
        let others = ["=", "[", ".", "(", ":"];
        !matches!(self.after(1), TokenKind::Symbol(sign) if others.contains(sign))
    }

    fn goes_on_or_off(&self) -> bool {
        matches!(self.after(1), TokenKind::Name(word, _) if ["on", "off"].contains(&&**word))
    }

    /// `ANOUT ON CHANNEL_1=0.5*$VEL_ACT DELAY=0.1`: from then on it is computed again and again.
    fn output(&mut self) -> Read<StatementKind> {
        let mut asks = false;
        while !self.ends() {
            asks |= self.asks();
            self.step();
        }
        Ok(if asks {
            StatementKind::unread("a function in what an output shows is not read".into())
        } else {
            StatementKind::Pass("ANOUT".into())
        })
    }

    /// `ANIN ON value=factor*SENSOR_1+offset` or `DIGIN ON value=factor*$DIGIN1+offset`: from then
    /// on it is set again and again, up to `ANIN OFF` or `DIGIN OFF`.
    fn input(&mut self) -> StatementKind {
        let written = self.word().to_uppercase();
        self.step();
        let begins = self.word() == "on";
        self.rest_of_line();
        if begins {
            let reason = format!(
                "`{written} ON` sets a variable while the program goes on: its values are not known"
            );
            StatementKind::unread(reason.into())
        } else {
            StatementKind::Pass(written.into())
        }
    }

    fn simple(&mut self) -> Read<StatementKind> {
        if *self.after(1) == TokenKind::Symbol(":") {
            let label = self.name("a label")?;
            self.step();
            return Ok(StatementKind::Label(label));
        }
        if *self.after(1) == TokenKind::Symbol("(") {
            let name = self.name("a statement")?;
            self.step();
            let arguments = self.arguments()?;
            return Ok(StatementKind::Call(Call { name, arguments }));
        }
        let path = match self.token().what {
            TokenKind::Name(..) => self.path()?,
            _ => return self.fail("a statement"),
        };
        self.need("=")?;
        let value = beside_indices(self.expression()?, &path);
        Ok(StatementKind::Assign(path, value))
    }

    fn count(&mut self) -> Read<StatementKind> {
        let name = self.name("the loop's variable")?;
        self.need("=")?;
        let from = self.expression()?;
        self.expect("to")?;
        let to = self.expression()?;
        let by = if self.accept("step") {
            Some(self.expression()?)
        } else {
            None
        };
        let body = self.body(&["endfor"])?;
        self.step();
        Ok(StatementKind::For(Box::new(For {
            name,
            declares: false,
            from,
            to,
            by,
            turns: false,
            body,
        })))
    }

    fn switch(&mut self) -> Read<StatementKind> {
        let value = self.expression()?;
        self.end_line()?;
        self.blank();
        let ends = ["case", "default", "endswitch"];
        let mut cases = Vec::new();
        while self.accept("case") {
            let mut values = vec![self.expression()?];
            while self.take(",") {
                values.push(self.expression()?);
            }
            cases.push((values, self.body(&ends)?));
        }
        let otherwise = if self.accept("default") {
            self.body(&["endswitch"])?
        } else {
            Vec::new()
        };
        self.expect("endswitch")?;
        Ok(StatementKind::Switch(value, cases, otherwise))
    }

    fn interrupt(&mut self) -> Read<StatementKind> {
        self.accept("global");
        self.expect("interrupt")?;
        if self.accept("with") {
            self.expect("brake")?;
            self.rest_of_line();
            let reason = format!(
                "{BRAKING} stops the arm on its way: when, and where it goes on from, is not known"
            );
            return Ok(StatementKind::unread(reason.into()));
        }
        if !self.accept("decl") {
            return self.switched_interrupt();
        }
        let number = self.expression()?;
        self.expect("when")?;
        let condition = self.expression()?;
        self.expect("do")?;
        let runs = match self.simple()? {
            StatementKind::Call(call) => Expression::Call(call),
            // What it sets says enough: to which value, and when, is not followed.
            StatementKind::Assign(path, value) => {
                if acts(&value) || path.indices().any(acts) {
                    let reason = format!("{ASKING} sets is not read");
                    return Ok(StatementKind::unread(reason.into()));
                }
                Expression::Variable(path)
            }
            _ => return self.fail("a routine"),
        };
        if acts(&number) || acts(&condition) {
            let reason = format!("{ASKING} waits for is not read");
            return Ok(StatementKind::unread(reason.into()));
        }
        Ok(StatementKind::Call(Call {
            name: "interrupt decl".into(),
            arguments: vec![
                Argument::by_place(Some(runs)),
                Argument {
                    name: Some("number".into()),
                    ..Argument::by_place(Some(number))
                },
            ],
        }))
    }

    /// `INTERRUPT ON 21`, or without a number: all that are declared.
    fn switched_interrupt(&mut self) -> Read<StatementKind> {
        let begins = self.accept("on") || self.accept("enable");
        if !begins && !self.accept("off") && !self.accept("disable") {
            return self.fail("`DECL`, `ON` or `OFF`");
        }
        let number = if self.ends() {
            None
        } else {
            Some(self.expression()?)
        };
        Ok(match number {
            Some(number) if acts(&number) => {
                let reason = "a function in which interrupt is switched is not read";
                StatementKind::unread(reason.into())
            }
            number if begins => StatementKind::Call(Call {
                name: "interrupt on".into(),
                arguments: vec![Argument::by_place(number)],
            }),
            _ => StatementKind::Pass("INTERRUPT".into()),
        })
    }

    /// Something that happens on the way of the next move. When it does is not known, nor in which
    /// order with what follows. Functions that say when (`DELAY=ArcGetDelay(…)`) run beside it too.
    fn trigger(&mut self) -> Read<StatementKind> {
        let mut body = Vec::new();
        while self.word() != "do" {
            if self.ends() {
                return self.fail("`DO`");
            }
            self.asked_beside(&mut body)?;
        }
        self.step();
        let place = self.place();
        let what = self.simple()?;
        body.push(Statement { place, what });
        while !self.ends() {
            self.asked_beside(&mut body)?;
        }
        Ok(StatementKind::Aside(body))
    }

    /// Steps over what says when something happens; takes down a function that may do something.
    fn asked_beside(&mut self, body: &mut Vec<Statement>) -> Read<()> {
        if !self.asks() {
            self.step();
            return Ok(());
        }
        let place = self.place();
        let name = self.name("a function")?;
        self.step();
        let arguments = self.arguments()?;
        let what = StatementKind::Call(Call { name, arguments });
        body.push(Statement { place, what });
        Ok(())
    }

    /// Whether a function that may do something is called here.
    fn asks(&self) -> bool {
        let called = *self.after(1) == TokenKind::Symbol("(");
        called && !self.word().is_empty() && builtin::function_does(self.word()) == Does::Moves
    }

    fn motion(&mut self) -> Read<StatementKind> {
        let TokenKind::Name(name, _) = self.token().what.clone() else {
            return self.fail("an instruction that moves");
        };
        self.step();
        let mut arguments = Vec::new();
        let argument = |name: Option<Name>, value| Argument {
            name,
            ..Argument::by_place(value)
        };
        loop {
            if self.take(",") && self.accept("ca") {
                let angle = self.expression()?;
                arguments.push(argument(Some("ca".into()), Some(angle)));
            } else {
                arguments.push(argument(None, Some(self.expression()?)));
            }
            if !self.has(",") {
                break;
            }
        }
        loop {
            let word: Name = self.word().into();
            match &*word {
                "c_ptp" | "c_dis" | "c_ori" | "c_vel" | "c_spl" | "#base" | "#tool" => {
                    self.step();
                    arguments.push(argument(Some(word), None));
                }
                "with" => {
                    self.step();
                    loop {
                        let path = self.path()?;
                        self.need("=")?;
                        let value = self.expression()?;
                        let name = format!("with {}", path.shown());
                        arguments.push(argument(Some(name.into()), Some(value)));
                        if !self.take(",") {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
        Ok(StatementKind::Call(Call { name, arguments }))
    }
}

/// Where the elements and components of a variable end whose name is this token.
fn behind_path(tokens: &[Token], name: usize) -> usize {
    let mut deep = 0;
    let mut at = name + 1;
    while let Some(token) = tokens.get(at) {
        match &token.what {
            TokenKind::Symbol("[") => deep += 1,
            TokenKind::Symbol("]") if deep > 0 => deep -= 1,
            // The component itself.
            TokenKind::Symbol(".") if deep == 0 => at += 1,
            _ if deep == 0 => break,
            _ => {}
        }
        at += 1;
    }
    at
}
