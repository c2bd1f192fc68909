use std::ffi::OsStr;

use super::*;
use crate::geometry::primitive::{box_mesh, capsule_core};
use crate::geometry::random::Random;
use crate::spheres::build::tests::torus;

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
    assert_eq!(cache.trouble(), None);
    (*tree).clone()
}

fn decode(bytes: &[u8], key: &blake3::Hash) -> Option<SphereTree> {
    let read = |from: u64, buffer: &mut [u8]| {
        let from = from as usize;
        buffer.copy_from_slice(bytes.get(from..from + buffer.len())?);
        Some(())
    };
    let length = bytes.len() as u64;
    format::decode(&format::Source { length, read }, key)
}

#[test]
fn a_tree_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(20);
    let built = ask(folder.path(), &mesh);
    let file = only_file(folder.path());
    assert_eq!(built, build(&mesh, 0.0));
    // Proof that the second answer comes from the file: the file holds another tree under this key.
    let mut marked = built.clone();
    marked.nodes[0].radius *= 2.0;
    fs::write(&file, format::encode(&marked, &key::key(&mesh, 0.0))).unwrap();
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
    let key = key::key(&mesh, 0.0);
    assert_eq!(decode(&good, &key).as_ref(), Some(&truth));
    // Any single byte, any length, another key.
    let mut r = Random(8);
    for i in 0..good.len() {
        let mut bad = good.clone();
        bad[i] ^= 1 << r.below(8);
        assert!(decode(&bad, &key).is_none(), "byte {i}");
        assert!(decode(&good[..i], &key).is_none(), "length {i}");
    }
    assert!(decode(&[&good[..], &[0]].concat(), &key).is_none());
    assert!(decode(&good, &key::key(&mesh, 0.5)).is_none());
    // On disk: the right tree is answered and the file put right.
    for bad in [&b""[..], b"solid ascii", &good[..100], &[0xff; 5000]] {
        fs::write(&file, bad).unwrap();
        assert_eq!(ask(folder.path(), &mesh), truth);
        assert_eq!(fs::read(&file).unwrap(), good);
    }
}

#[test]
fn a_forged_file_with_a_right_checksum_is_not_followed() {
    let mesh = torus(6);
    let key = key::key(&mesh, 0.0);
    let truth = build(&mesh, 0.0);
    let mut loops = truth.clone();
    loops.nodes[4].first = 0;
    let mut outside = truth.clone();
    outside.triangles[0][2] = u32::MAX;
    let mut elsewhere = truth.clone();
    elsewhere.pieces[0] = truth.triangles.len() as u32;
    let mut disordered = truth.clone();
    disordered.pieces.push(0);
    disordered.pieces[0] = 1;
    let mut sideless = truth.clone();
    sideless.sides[7] = i8::MIN;
    let mut infinite = truth;
    infinite.nodes[1].radius = f32::INFINITY;
    for forged in [loops, outside, elsewhere, disordered, sideless, infinite] {
        assert!(decode(&format::encode(&forged, &key), &key).is_none());
    }
}

#[test]
fn many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = torus(16);
    let truth = build(&mesh, 0.0);
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
    assert_eq!(*cache.tree(&mesh, 0.3), build(&mesh, 0.3));
    assert!(cache.trouble().unwrap().contains("trees are not kept"));
    assert!(cache.list().is_empty());
    let off = Cache::off();
    assert_eq!(*off.tree(&mesh, 0.3), build(&mesh, 0.3));
    assert_eq!((off.trouble(), off.folder()), (None, None));
}

#[test]
fn clearing_removes_only_what_is_ours() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(Some(folder.path()));
    let meshes = [torus(6), box_mesh(&[1.0, 2.0, 3.0].into())];
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
    // What a writer left behind long ago goes too.
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
