//! Which way round meshes of a URDF stand whose COLLADA files state an up axis. Both readings are
//! placed, and the one that comes nearer to the parent link is proposed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clearance_formats::{LoadedCell, UpAxis};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{BodyId, Cell, Program, Role, Trajectory, Waypoint};
use clearance_proof::pairs::{CheckedPair, PairTable};

use super::shape_tree::tree;
use super::uncovered::some_of;
use crate::cache::Cache;
use crate::findings::{Code, Diagnostic, Severity};

/// Gaps that differ by less than this tell nothing, metres.
const SAME_M: f64 = 1e-3;
/// Gaps are looked up to this share of themselves.
const SHARE: f64 = 0.05;

/// The answer of geometry for a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The mesh fits better turned, as COLLADA says: against how it is read.
    Turned,
    /// Both readings are as near.
    Either,
    /// The mesh fits better as it is read.
    Unturned,
}

/// A link, and its gaps as it is read and turned, metres.
type LinkGaps = (BodyId, [f64; 2]);

/// A notice for all links of a robot about which geometry says the same.
pub(super) fn up_axes(
    loaded: &LoadedCell,
    trees: &[Vec<Arc<SphereTree>>],
    cache: &Cache,
) -> Vec<Diagnostic> {
    if loaded.up_axes.is_empty() {
        return Vec::new();
    }
    let cell = &loaded.cell;
    let edges = edges(loaded);
    let unturned = gaps(cell, trees, &edges);
    let (other, other_trees) = turned(loaded, trees, cache);
    let turned = gaps(&other, &other_trees, &edges);
    // Both gaps of a link, summed over its neighbours.
    let mut sums: BTreeMap<BodyId, [f64; 2]> = BTreeMap::new();
    for axis in &loaded.up_axes {
        sums.insert(axis.body, [0.0; 2]);
    }
    for ((edge, as_read), turned) in edges.iter().zip(unturned).zip(turned) {
        let asked = [edge.link, edge.parent];
        if let Some(sum) = asked
            .iter()
            .find_map(|body| sums.contains_key(body).then_some(*body))
            && let Some([a, b]) = sums.get_mut(&sum)
        {
            *a += as_read;
            *b += turned;
        }
    }
    let mut groups: BTreeMap<(usize, Fit), Vec<LinkGaps>> = BTreeMap::new();
    for (body, gaps) in sums {
        let fit = match gaps {
            [a, b] if a > b + SAME_M.max(SHARE * a) => Fit::Turned,
            [a, b] if b > a + SAME_M.max(SHARE * b) => Fit::Unturned,
            _ => Fit::Either,
        };
        if let Role::Link { robot } = cell.bodies[body].role {
            groups.entry((robot, fit)).or_default().push((body, gaps));
        }
    }
    let said = groups.into_iter();
    said.map(|((_, fit), links)| notice(loaded, fit, &links))
        .collect()
}

/// A link and the nearest one before it that has a shape.
struct Edge {
    link: BodyId,
    parent: BodyId,
}

/// Those of which one is in question.
fn edges(loaded: &LoadedCell) -> Vec<Edge> {
    let cell = &loaded.cell;
    let asked = |body: BodyId| loaded.up_axes.iter().any(|u| u.body == body);
    let parent = |body: BodyId| {
        let mut at = cell.bodies[body].parent;
        while let Some(p) = at
            && cell.bodies[p].shapes.is_empty()
        {
            at = cell.bodies[p].parent;
        }
        at
    };
    let links = (0..cell.bodies.len()).filter(|&b| {
        matches!(cell.bodies[b].role, Role::Link { .. }) && !cell.bodies[b].shapes.is_empty()
    });
    links
        .filter_map(|link| {
            Some(Edge {
                link,
                parent: parent(link)?,
            })
        })
        .filter(|e| asked(e.link) || asked(e.parent))
        .collect()
}

/// The cell with all meshes in question turned.
fn turned(
    loaded: &LoadedCell,
    trees: &[Vec<Arc<SphereTree>>],
    cache: &Cache,
) -> (Cell, Vec<Vec<Arc<SphereTree>>>) {
    let (mut cell, mut trees) = (loaded.cell.clone(), trees.to_vec());
    for UpAxis {
        body,
        shape,
        turned,
        ..
    } in &loaded.up_axes
    {
        trees[*body][*shape] = tree(turned, cache);
        cell.bodies[*body].shapes[*shape].form = turned.clone();
    }
    (cell, trees)
}

/// Distance of each pair of links where the joints have the cell's values, metres.
fn gaps(cell: &Cell, trees: &[Vec<Arc<SphereTree>>], edges: &[Edge]) -> Vec<f64> {
    let pair = |e: &Edge| CheckedPair {
        a: e.parent,
        b: e.link,
        clearance: None,
        warn: None,
    };
    let table = PairTable {
        checked: edges.iter().map(pair).collect(),
        ..PairTable::default()
    };
    let scene = Scene::new(cell, trees, &table, 0.0);
    let standing = Program {
        source: PathBuf::from("as it stands"),
        waypoints: vec![Waypoint::new(0.0, Vec::new(), 0)],
        ..Program::default()
    };
    // Nothing can be wrong with a program that moves nothing; without a trajectory both readings
    // are as good.
    let Ok((trajectory, _)) = Trajectory::for_cell(&standing, cell, None) else {
        return vec![0.0; edges.len()];
    };
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, &trajectory.segments[0], 0.0);
    (0..edges.len())
        .map(|pair| {
            let found =
                scene.pair_distance_about(pair, &mut snapshot, f64::INFINITY, SHARE, &mut 0);
            found.map_or(0.0, |nearest| nearest.distance)
        })
        .collect()
}

fn notice(loaded: &LoadedCell, fit: Fit, links: &[LinkGaps]) -> Diagnostic {
    let cell = &loaded.cell;
    let names = links.iter().map(|&(b, _)| cell.bodies[b].name.as_str());
    let what = some_of(&names.collect::<Vec<_>>());
    let ids = links.iter().map(|&(body, _)| body);
    let mut axes: Vec<&str> = ids
        .flat_map(|id| loaded.up_axes.iter().filter(move |u| u.body == id))
        .map(|u| u.axis)
        .collect();
    axes.sort_unstable();
    axes.dedup();
    let most = |k: usize| links.iter().map(|(_, g)| g[k]).fold(0.0, f64::max) * 1e3;
    let gap = format!(
        "gap to the neighbouring links {:.1} mm as it is read, {:.1} mm turned",
        most(0),
        most(1)
    );
    let says = match fit {
        Fit::Unturned => format!("this fits ({gap}); say `dae_up_axis = \"ignore\"`"),
        Fit::Either => format!(
            "geometry does not tell which is right ({gap}): look at it in the HTML report, and say `dae_up_axis = \"ignore\"` or `\"apply\"`"
        ),
        Fit::Turned => format!(
            "turned as COLLADA says it fits better ({gap}): look at it in the HTML report, and say `dae_up_axis = \"apply\"` (or `\"ignore\"`)"
        ),
    };
    Diagnostic {
        subject: what,
        message: format!(
            "the mesh states {}, and is read as RViz and MoveIt read it, not turned; {says} under [[robot]] of a cell file",
            axes.join(" or ")
        ),
        place: links.first().and_then(|&(body, _)| cell.place(body)),
        severity: match fit {
            Fit::Turned => Severity::Open,
            Fit::Unturned | Fit::Either => Severity::Notice,
        },
        code: Code::UpAxis,
    }
}
