//! Variables that something beside the program may set: those that the controller keeps, for other
//! tasks and people at the panel set them too, and all that is computed of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::elsewhere::given;
use super::syntax::{BlockProgram, Call, Expression, Name, Routine, StatementKind};
use super::{Does, Language};

/// A variable: of a routine, by its address, or of a module (any of that name).
type Key = (usize, Name);

/// So many steps are made to find out on which of the kept variables each function depends.
const MOST_STEPS: usize = 1_000_000;

/// The address of what modules and controllers hold.
const NO_ROUTINE: usize = 0;

/// The variables that something beside the program may set, and the functions whose answers depend
/// on them.
#[derive(Debug, Default, Clone)]
pub(crate) struct SharedVariables {
    /// With the variables that the controller keeps and of which each is computed.
    variables: BTreeMap<Key, BTreeSet<Name>>,
    /// With the variables that the controller keeps on which each depends.
    functions: BTreeMap<Name, BTreeSet<Name>>,
    /// Names that routines have for their own variables.
    own: BTreeMap<usize, OwnNames>,
    /// Functions that do not ask for the value of their first argument.
    ask_declaration: Vec<&'static str>,
    /// What the controller keeps and is not taught: other tasks and people at the panel set it, and
    /// whoever ends a wait may have set it before.
    set_by_others: BTreeSet<Name>,
    /// Those of them that hold something taught as well.
    taught_in_part: BTreeSet<Name>,
}

/// The names that a routine has for variables of its own.
#[derive(Debug, Default, Clone)]
struct OwnNames {
    /// Parameters and data.
    declared: BTreeSet<Name>,
    /// Counters that loops declare: outside of the loop the name means another variable.
    counters: BTreeSet<Name>,
}

/// What depends on what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Variable(Key),
    /// The answer of a function.
    Answer(Name),
}

/// All that is computed of these variables of modules, they included.
fn depending(names: &[&Name], edges: &BTreeMap<Node, BTreeSet<Node>>) -> BTreeSet<Node> {
    let first = names
        .iter()
        .map(|&name| Node::Variable((NO_ROUTINE, name.clone())));
    let mut found: BTreeSet<Node> = first.collect();
    let mut left: Vec<Node> = found.iter().cloned().collect();
    while let Some(node) = left.pop() {
        for to in edges.get(&node).into_iter().flatten() {
            if found.insert(to.clone()) {
                left.push(to.clone());
            }
        }
    }
    found
}

fn address(routine: &Routine) -> usize {
    std::ptr::from_ref(routine) as usize
}

impl SharedVariables {
    pub(crate) fn of<L: Language>(program: &BlockProgram) -> Self {
        let own = program.routines.iter().map(|r| (address(r), own_names(r)));
        let is_routine = |name: &str| program.routines.iter().any(|r| *r.name == *name);
        let mut ask_declaration = L::ASK_DECLARATION.to_vec();
        ask_declaration.retain(|name| !is_routine(name));
        let mut shared = Self {
            own: own.collect(),
            ask_declaration,
            ..Self::default()
        };
        let edges = shared.dependencies::<L>(program);
        shared.set_by_others =
            set_by_others::<L>(program, &[TaughtExtent::No, TaughtExtent::InPart]);
        shared.taught_in_part = set_by_others::<L>(program, &[TaughtExtent::InPart]);
        let data = program.modules.iter().flat_map(|m| &m.data);
        let kept: BTreeSet<&Name> = data.filter(|d| d.kept).map(|d| &d.name).collect();
        // Where there are very many, a function counts as depending on all of them.
        let each_alone = kept.len().saturating_mul(edges.len()) <= MOST_STEPS;
        let groups: Vec<Vec<&Name>> = if each_alone {
            kept.into_iter().map(|name| vec![name]).collect()
        } else {
            vec![kept.into_iter().collect()]
        };
        for group in groups {
            for node in depending(&group, &edges) {
                let of = match node {
                    Node::Variable(key) => shared.variables.entry(key).or_default(),
                    Node::Answer(of) => shared.functions.entry(of).or_default(),
                };
                of.extend(group.iter().map(|&name| name.clone()));
            }
        }
        shared
    }

    /// Whether something beside the program may set what an expression of a routine asks for.
    pub(crate) fn is_asked(&self, expression: &Expression, routine: Option<&Routine>) -> bool {
        self.parts(expression).iter().any(|part| match part {
            Expression::Variable(path) => self.is_shared(&path.name, routine),
            Expression::Call(call) => self.functions.contains_key(&call.name),
            _ => false,
        })
    }

    /// The variables of an expression that something beside the program may set; of a function,
    /// those that it depends on and that the controller keeps.
    pub(crate) fn asked(
        &self,
        expression: &Expression,
        routine: Option<&Routine>,
    ) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        for part in self.parts(expression) {
            match part {
                Expression::Variable(path) if self.is_shared(&path.name, routine) => {
                    names.insert(path.name.clone());
                }
                Expression::Call(call) => names.extend(self.of_function(&call.name).cloned()),
                _ => {}
            }
        }
        names
    }

    /// The variables that the controller keeps and of which an expression is computed.
    pub(crate) fn computed_of(
        &self,
        expression: &Expression,
        routine: Option<&Routine>,
    ) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        for part in self.parts(expression) {
            match part {
                Expression::Variable(path) => {
                    let keys = self.keys(&path.name, routine).into_iter();
                    let of = keys.filter_map(|key| self.variables.get(&key));
                    names.extend(of.flatten().cloned());
                }
                Expression::Call(call) => names.extend(self.of_function(&call.name).cloned()),
                _ => {}
            }
        }
        names
    }

    /// What else may have been set where a wait for what the controller keeps has come to its end: who
    /// says that it goes on may say how.
    pub(crate) fn set_by_others(&self) -> &BTreeSet<Name> {
        &self.set_by_others
    }

    /// Whether a part of it is taught, and stays what it is behind a wait.
    pub(crate) fn is_taught_in_part(&self, name: &Name) -> bool {
        self.taught_in_part.contains(name)
    }

    /// The variables that the controller keeps and on which a function depends.
    pub(crate) fn of_function(&self, name: &Name) -> impl Iterator<Item = &Name> {
        self.functions.get(name).into_iter().flatten()
    }

    /// The parts of an expression, but for variables whose values it does not ask for.
    pub(crate) fn parts<'e>(&self, expression: &'e Expression) -> Vec<&'e Expression> {
        let mut parts = expression.parts();
        let calls = parts.iter().filter_map(|part| part.as_call());
        let calls = calls.filter(|call| self.ask_declaration.contains(&&*call.name));
        let unasked: Vec<&Expression> = calls.filter_map(|call| call.positional().next()).collect();
        parts.retain(|part| !unasked.iter().any(|unasked| std::ptr::eq(*unasked, *part)));
        parts
    }

    fn is_shared(&self, name: &Name, routine: Option<&Routine>) -> bool {
        let mut keys = self.keys(name, routine).into_iter();
        keys.any(|key| self.variables.contains_key(&key))
    }

    /// The variables that a name may mean in a routine.
    fn keys(&self, name: &Name, routine: Option<&Routine>) -> Vec<Key> {
        let of_module = (NO_ROUTINE, name.clone());
        let Some(address) = routine.map(address) else {
            return vec![of_module];
        };
        match self.own.get(&address) {
            Some(own) if own.declared.contains(name) => vec![(address, name.clone())],
            Some(own) if own.counters.contains(name) => vec![(address, name.clone()), of_module],
            _ => vec![of_module],
        }
    }

    fn nodes(&self, name: &Name, routine: &Routine) -> Vec<Node> {
        let keys = self.keys(name, Some(routine)).into_iter();
        keys.map(Node::Variable).collect()
    }

    /// What an expression of a routine asks for.
    fn sources(&self, expression: &Expression, routine: &Routine) -> Vec<Node> {
        let parts = self.parts(expression).into_iter();
        let nodes = parts.flat_map(|part| match part {
            Expression::Variable(path) => self.nodes(&path.name, routine),
            Expression::Call(call) => vec![Node::Answer(call.name.clone())],
            _ => Vec::new(),
        });
        nodes.collect()
    }

    /// By what is asked for: what is computed of it.
    fn dependencies<L: Language>(&self, program: &BlockProgram) -> BTreeMap<Node, BTreeSet<Node>> {
        let mut edges: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        let mut depends = |targets: &[Node], on: Vec<Node>| {
            for source in on {
                let targets = targets.iter().filter(|target| **target != source).cloned();
                edges.entry(source.clone()).or_default().extend(targets);
            }
        };
        for routine in &program.routines {
            let routine: &Routine = routine;
            for declared in &routine.data {
                let target = self.nodes(&declared.name, routine);
                if let Some(first) = &declared.first {
                    depends(&target, self.sources(first, routine));
                }
            }
            let answer = [Node::Answer(routine.name.clone())];
            for statement in routine.statements() {
                // What it answers may depend on all that it asks for, on its way as well.
                for expression in statement.expressions() {
                    depends(&answer, self.sources(expression, routine));
                }
                match &statement.what {
                    StatementKind::Assign(path, value) => {
                        let target = self.nodes(&path.name, routine);
                        for expression in path.indices().chain([value]) {
                            depends(&target, self.sources(expression, routine));
                        }
                    }
                    StatementKind::For(_) | StatementKind::Call(_) => {
                        let target = match &statement.what {
                            StatementKind::For(counting) => self.nodes(&counting.name, routine),
                            StatementKind::Call(call) if L::does(call) == Does::Computes => {
                                self.handed(call, routine)
                            }
                            _ => Vec::new(),
                        };
                        for expression in statement.expressions() {
                            depends(&target, self.sources(expression, routine));
                        }
                    }
                    _ => {}
                }
            }
            for call in routine.calls() {
                for called in program.routines.iter().filter(|r| r.name == call.name) {
                    self.handed_over(call, routine, called, &mut depends);
                }
            }
        }
        edges
    }

    /// The variables that are handed to an instruction.
    fn handed(&self, call: &Call, routine: &Routine) -> Vec<Node> {
        let given = call.arguments.iter().flat_map(|a| &a.value);
        let variables = given.filter_map(|value| match value {
            Expression::Variable(path) => Some(self.nodes(&path.name, routine)),
            _ => None,
        });
        variables.flatten().collect()
    }

    /// What parameters are given, and what comes back by reference.
    fn handed_over(
        &self,
        call: &Call,
        caller: &Routine,
        called: &Rc<Routine>,
        depends: &mut impl FnMut(&[Node], Vec<Node>),
    ) {
        for (parameter, value) in given(called, call) {
            let own = self.nodes(&parameter.name, called);
            depends(&own, self.sources(value, caller));
            if let (true, Expression::Variable(path)) = (parameter.by_reference, value) {
                depends(&self.nodes(&path.name, caller), own);
            }
        }
    }
}

/// What others may set, where so much of it is taught. Points, tools and frames
/// are taught, and have the values of the files until the program itself changes them.
fn set_by_others<L: Language>(program: &BlockProgram, so_much: &[TaughtExtent]) -> BTreeSet<Name> {
    let data = program.modules.iter().flat_map(|m| &m.data);
    let others = data.filter(|d| {
        let of_controller = d.name.starts_with('$') || L::READ_UNNAMED.contains(&&*d.name);
        d.kept && !d.constant && !of_controller && so_much.contains(&taught::<L>(program, &d.kind))
    });
    others.map(|d| d.name.clone()).collect()
}

/// How much of what a type holds is taught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaughtExtent {
    No,
    /// Some components of a record.
    InPart,
    Whole,
}

/// So deep are types looked into.
const DEEPEST: usize = 8;

/// How much is taught of a type, by whatever name.
pub(super) fn taught<L: Language>(program: &BlockProgram, kind: &Name) -> TaughtExtent {
    taught_within::<L>(program, kind, DEEPEST)
}

fn taught_within<L: Language>(program: &BlockProgram, kind: &Name, deepest: usize) -> TaughtExtent {
    if L::TAUGHT.contains(&&**kind) {
        return TaughtExtent::Whole;
    }
    let Some(deepest) = deepest.checked_sub(1) else {
        return TaughtExtent::No;
    };
    if let Some(of) = program.aliases.get(kind) {
        return taught_within::<L>(program, of, deepest);
    }
    let fields = program.records.get(kind).into_iter().flatten();
    let parts = fields.map(|(_, kind)| taught_within::<L>(program, kind, deepest));
    parts
        .reduce(|a, b| if a == b { a } else { TaughtExtent::InPart })
        .unwrap_or(TaughtExtent::No)
}

fn own_names(routine: &Rc<Routine>) -> OwnNames {
    let parameters = routine.parameters.iter().map(|p| &p.name);
    let data = routine.data.iter().map(|d| &d.name);
    let counters = routine.statements().into_iter();
    let counters = counters.filter_map(|statement| match &statement.what {
        StatementKind::For(counting) if counting.declares => Some(counting.name.clone()),
        _ => None,
    });
    OwnNames {
        declared: parameters.chain(data).cloned().collect(),
        counters: counters.collect(),
    }
}
