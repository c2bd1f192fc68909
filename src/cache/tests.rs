use std::ffi::OsStr;

use clearance_proof::bvh::{Node, SphereTree};
use clearance_proof::geometry::made::capsule_core;
use clearance_proof::geometry::made::torus;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::random::Random;

use super::*;

mod meshes;

fn only_file(folder: &Path) -> PathBuf {
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// Asks a fresh cache, as another process would.
fn ask(folder: &Path, mesh: &Mesh) -> SphereTree {
    let cache = Cache::open(Some(folder));
    let tree = cache.tree(mesh, 0.0);
    assert_eq!(cache.problem(), None);
    (*tree).clone()
}

fn decode(bytes: &[u8], mesh: &Mesh) -> Option<SphereTree> {
    decode_with(bytes, mesh, &key::key(mesh, 0.0))
}

fn decode_with(bytes: &[u8], mesh: &Mesh, key: &blake3::Hash) -> Option<SphereTree> {
    let read = |from: u64, buffer: &mut [u8]| {
        let from = from as usize;
        buffer.copy_from_slice(bytes.get(from..from + buffer.len())?);
        Some(())
    };
    let length = bytes.len() as u64;
    format::decode(&format::TreeReader { length, read }, key, mesh, 0.0)
}

#[test]
fn a_tree_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(20);
    let built = ask(folder.path(), &mesh);
    let file = only_file(folder.path());
    assert_eq!(built, SphereTree::new(&mesh, 0.0));
    // Proof that the second answer comes from the file: the file holds another tree under this key.
    let (mut nodes, order) = SphereTree::build_nodes(&mesh);
    nodes[0].radius *= 2.0;
    fs::write(&file, format::encode(&nodes, &order, &key::key(&mesh, 0.0))).unwrap();
    let mut marked = built;
    marked.nodes = nodes;
    assert_eq!(ask(folder.path(), &mesh), marked);
    // Within a run a tree is shared.
    let cache = Cache::open(Some(folder.path()));
    assert!(Arc::ptr_eq(
        &cache.tree(&mesh, 0.0),
        &cache.tree(&mesh, 0.0)
    ));
}

#[test]
fn everything_that_matters_is_in_the_key() {
    let mesh = torus(5);
    // Longer than a block of the hash: every block counts.
    let long = torus(180);
    let mut late = long.clone();
    late.triangles.last_mut().unwrap().swap(0, 1);
    assert_ne!(key::key(&long, 0.0), key::key(&late, 0.0));
    let mut keys = vec![key::key(&mesh, 0.0), key::key(&mesh, 0.1)];
    let mut other = mesh.clone();
    other.vertices[7].x += 1e-15;
    keys.push(key::key(&other, 0.0));
    other = mesh.clone();
    other.triangles[3].swap(0, 1);
    keys.push(key::key(&other, 0.0));
    other = mesh.clone();
    other.vertices.push(mesh.vertices[0]);
    keys.push(key::key(&other, 0.0));
    for (i, a) in keys.iter().enumerate() {
        assert!(keys[..i].iter().all(|b| a != b), "key {i}");
    }
    assert_eq!(keys[0], key::key(&torus(5), 0.0));
}

#[test]
fn damage_of_any_kind_is_built_over() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(6);
    let truth = ask(folder.path(), &mesh);
    let file = only_file(folder.path());
    let good = fs::read(&file).unwrap();
    assert_eq!(decode(&good, &mesh).as_ref(), Some(&truth));
    // Any single byte, any length, another key.
    let mut r = Random(8);
    for i in 0..good.len() {
        let mut bad = good.clone();
        bad[i] ^= 1 << r.below(8);
        assert!(decode(&bad, &mesh).is_none(), "byte {i}");
        assert!(decode(&good[..i], &mesh).is_none(), "length {i}");
    }
    assert!(decode(&[&good[..], &[0]].concat(), &mesh).is_none());
    assert!(decode_with(&good, &mesh, &key::key(&mesh, 0.5)).is_none());
    // On disk: the right tree is answered and the file put right.
    for bad in [&b""[..], b"solid ascii", &good[..100], &[0xff; 5000]] {
        fs::write(&file, bad).unwrap();
        assert_eq!(ask(folder.path(), &mesh), truth);
        assert_eq!(fs::read(&file).unwrap(), good);
    }
}

/// A change of the nodes and of the order of the triangles.
type Forgery = fn(&mut Vec<Node>, &mut Vec<u32>);

const FORGERIES: [(&str, Forgery); 14] = [
    ("a loop", |nodes, _| nodes[4].first = 0),
    ("a child that is not there", |nodes, _| {
        nodes[0].first = nodes.len() as u32 - 1;
    }),
    ("an infinite ball", |nodes, _| {
        nodes[1].radius = f32::INFINITY;
    }),
    ("a ball that is no number", |nodes, _| {
        nodes[1].center[0] = f32::NAN;
    }),
    ("a shrunken ball", |nodes, _| nodes[0].radius *= 0.99),
    ("a shrunken ball farther down", |nodes, _| {
        let last = nodes.len() - 1;
        nodes[last].radius *= 0.99;
    }),
    ("a shrunken box", |nodes, _| nodes[0].box_half[1] *= 0.99),
    ("a shrunken box farther down", |nodes, _| {
        let last = nodes.len() - 1;
        nodes[last].box_half = nodes[last].box_half.map(|h| h * 0.9);
    }),
    ("balls and boxes elsewhere", |nodes, _| {
        for node in nodes {
            node.center[2] += 1e3;
            node.box_center[2] += 1e3;
        }
    }),
    ("a triangle in place of another one", |_, order| {
        order[0] = order[1];
    }),
    ("a triangle that is not there", |_, order| {
        order[0] = u32::MAX;
    }),
    ("triangles in other leaves", |_, order| order.reverse()),
    ("a dropped triangle", |_, order| {
        order.pop();
    }),
    ("no triangle at all", |nodes, order| {
        nodes.clear();
        order.clear();
    }),
];

/// Anybody can make a right checksum. Whether a mesh is closed, and what is inside, no file says.
#[test]
fn a_forged_file_with_a_right_checksum_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(6);
    let key = key::key(&mesh, 0.0);
    let truth = ask(folder.path(), &mesh);
    let file = only_file(folder.path());
    for (what, forge) in FORGERIES {
        let (mut nodes, mut order) = SphereTree::build_nodes(&mesh);
        forge(&mut nodes, &mut order);
        let forged = format::encode(&nodes, &order, &key);
        assert!(decode(&forged, &mesh).is_none(), "{what}");
        fs::write(&file, forged).unwrap();
        assert_eq!(ask(folder.path(), &mesh), truth, "{what}");
    }
}

/// Trees that lie beside, as those of a pack, are read, proved like one's own, and left as they
/// are.
#[test]
fn trees_that_lie_beside_are_proved_too() {
    let [own, beside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mesh = torus(6);
    let key = key::key(&mesh, 0.0);
    let truth = ask(beside.path(), &mesh);
    let file = only_file(beside.path());
    let asked = || {
        let cache = Cache::open(Some(own.path())).with_trees_of(beside.path().to_owned());
        (*cache.tree(&mesh, 0.0)).clone()
    };
    assert_eq!(asked(), truth);
    assert_eq!(fs::read_dir(own.path()).unwrap().count(), 0);
    for (what, forge) in FORGERIES {
        let (mut nodes, mut order) = SphereTree::build_nodes(&mesh);
        forge(&mut nodes, &mut order);
        let forged = format::encode(&nodes, &order, &key);
        fs::write(&file, &forged).unwrap();
        assert_eq!(asked(), truth, "{what}");
        assert_eq!(fs::read(&file).unwrap(), forged, "{what}");
        // It was built anew, and is kept where one's own trees are.
        fs::remove_file(only_file(own.path())).unwrap();
    }
}

/// Whatever is wrong with a tree on disk, a collision stays one.
#[test]
fn forged_trees_change_no_verdict() {
    use crate::findings::Verdict;
    use crate::run::{CacheFolder, CellJob, Job, NoProgress, run};

    let root = env!("CARGO_MANIFEST_DIR");
    let folder = tempfile::tempdir().unwrap();
    let cell = format!("{root}/robots/scara/cell.toml");
    let program = format!("{root}/trajectories/scara/misses_the_hole.csv");
    let job = Job {
        cell: CellJob {
            cache: CacheFolder::At(folder.path().to_owned()),
            ..CellJob::file(&cell)
        },
        ..Job::new(&cell, vec![program.into()])
    };
    let verdict = || run(&job, &NoProgress).programs[0].verdict;
    assert_eq!(verdict(), Verdict::Collision);
    let meshes: Vec<Mesh> = {
        let shapes = job.cell.load().unwrap().cell.bodies;
        let shapes = shapes.into_iter().flat_map(|body| body.shapes);
        shapes
            .filter_map(|shape| match shape.form {
                clearance_proof::model::Form::Mesh { mesh, .. } => Some(mesh.as_ref().clone()),
                clearance_proof::model::Form::Box { size } => Some(Mesh::cuboid(&size)),
                _ => None,
            })
            .collect()
    };
    let telling = [
        "balls and boxes elsewhere",
        "a triangle in place of another one",
    ];
    for (what, forge) in FORGERIES.into_iter().filter(|f| telling.contains(&f.0)) {
        let mut forged = 0;
        for mesh in &meshes {
            let key = key::key(mesh, 0.0);
            let (mut nodes, mut order) = SphereTree::build_nodes(mesh);
            forge(&mut nodes, &mut order);
            let file = folder.path().join(format!("{}.tree", key.to_hex()));
            forged += usize::from(file.exists());
            fs::write(file, format::encode(&nodes, &order, &key)).unwrap();
        }
        assert!(forged > 3, "{forged}");
        assert_eq!(verdict(), Verdict::Collision, "{what}");
    }
}

/// The cheap proof lets pass what the plain one lets pass, and nothing else.
#[test]
fn the_cheap_proof_agrees_with_the_plain_one() {
    let mut r = Random(77);
    let (mut right, mut wrong) = (0, 0);
    for round in 0..300 {
        let mesh = torus(3 + r.below(8) as u32);
        let mut tree = SphereTree::new(&mesh, 0.0);
        if round % 4 != 0 {
            let node = r.below(tree.nodes.len());
            let node = &mut tree.nodes[node];
            let factor = 1.0 + 1e-6 * (r.below(201) as f32 - 100.0);
            match r.below(3) {
                0 => node.radius *= factor,
                1 => node.box_half[r.below(3)] *= factor,
                _ => node.center[r.below(3)] += factor - 1.0,
            }
        }
        let (plain, cheap) = (tree.check().is_ok(), tree.check_nodes().is_ok());
        assert!(!cheap || plain, "round {round}: let pass");
        assert_eq!(cheap, plain, "round {round}");
        if plain { right += 1 } else { wrong += 1 }
    }
    assert!(right > 80 && wrong > 80, "{right} {wrong}");
}

/// The cache does not wait for a file that is not a regular one, and does not follow links.
#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(6);
    let truth = ask(folder.path(), &mesh);
    let file = only_file(folder.path());
    assert!(open(&file).is_some());
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("tree");
    fs::rename(&file, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &file).unwrap();
    assert!(open(&file).is_none());
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &file,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(open(&file).is_none());
    assert!(open(Path::new("/dev/zero")).is_none());
    assert_eq!(ask(folder.path(), &mesh), truth);
    assert!(open(&file).is_some(), "the pipe has been replaced");
}

#[test]
fn many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(16);
    let truth = SphereTree::new(&mesh, 0.0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 0..10 {
                    assert_eq!(ask(folder.path(), &mesh), truth);
                    if round % 3 == 2 {
                        // Another one damages the file in the meantime.
                        let file = folder
                            .path()
                            .join(format!("{}.tree", key::key(&mesh, 0.0).to_hex()));
                        fs::write(file, b"damaged").unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(ask(folder.path(), &mesh), truth);
    only_file(folder.path());
}

#[test]
fn a_folder_that_cannot_be_written_is_only_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("a file");
    fs::write(&blocked, b"").unwrap();
    let cache = Cache::open(Some(&blocked.join("below")));
    let mesh = capsule_core(1.0);
    assert_eq!(*cache.tree(&mesh, 0.3), SphereTree::new(&mesh, 0.3));
    let problem = cache.problem().unwrap();
    assert!(problem.contains("trees are not kept"), "{problem}");
    assert!(cache.list().is_empty());
    // The folder is there, and takes no files: no name of a temporary one is told.
    let missing = write(Path::new("/proc/clearance/a.tree"), b"");
    let full = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in("/proc");
    for error in [missing.unwrap_err(), full.unwrap_err()] {
        let cause = bare_cause(&error);
        assert!(!cause.contains(UNFINISHED) && !cause.is_empty(), "{cause}");
    }
    assert!(cache.list().is_empty());
    let off = Cache::off();
    assert_eq!(*off.tree(&mesh, 0.3), SphereTree::new(&mesh, 0.3));
    assert_eq!((off.problem(), off.folder()), (None, None));
}

#[test]
fn clearing_removes_only_what_is_ours() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(Some(folder.path()));
    let meshes = [torus(6), Mesh::cuboid(&[1.0, 2.0, 3.0].into())];
    meshes.iter().for_each(|m| drop(cache.tree(m, 0.0)));
    let foreign = [
        "oak.tree",
        "notes.txt",
        &format!("{}.tree", "ab".repeat(32)),
        ".unfinished-x.tree",
    ];
    for name in foreign {
        fs::write(
            folder.path().join(name),
            b"mine, not yours, and long enough to be a header".repeat(9),
        )
        .unwrap();
    }
    let mut triangles: Vec<_> = cache.list().iter().map(|e| e.triangles).collect();
    triangles.sort();
    assert_eq!(triangles, [12, 72]);
    assert!(
        cache
            .list()
            .iter()
            .all(|e| e.bytes > 0 && e.age < Duration::from_secs(3600))
    );
    assert_eq!(cache.clear().unwrap(), 2);
    for name in foreign {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    // A file that a writer left behind long ago goes too.
    let left = fs::File::options()
        .write(true)
        .open(folder.path().join(".unfinished-x.tree"))
        .unwrap();
    left.set_modified(SystemTime::now() - Duration::from_secs(7200))
        .unwrap();
    assert_eq!(cache.clear().unwrap(), 1);
}

#[cfg(unix)]
#[test]
fn the_user_folder() {
    let with = |cache: Option<&str>, home: Option<&str>| {
        user_folder(|name| match name {
            "XDG_CACHE_HOME" => cache.map(|s| OsStr::new(s).to_owned()),
            "HOME" => home.map(|s| OsStr::new(s).to_owned()),
            _ => None,
        })
    };
    let path = |s: &str| Some(PathBuf::from(s));
    assert_eq!(with(Some("/c"), Some("/h")), path("/c/clearance"));
    assert_eq!(with(None, Some("/h")), path("/h/.cache/clearance"));
    assert_eq!(
        with(Some("relative"), Some("/h")),
        path("/h/.cache/clearance")
    );
    assert_eq!(with(None, None), None);
}
