//! Meshes that are kept: damaged ones do not come back, and whatever comes back changes no answer.

use super::super::*;
use super::only_file;
use crate::findings::Verdict;
use crate::run::{CacheFolder, CellJob, Job, NoProgress, run};
use clearance_proof::geometry::made::torus;
use clearance_proof::geometry::random::Random;

fn key(bytes: &[u8]) -> [u8; 32] {
    Cache::mesh_key(bytes.len() as u64, &mut &bytes[..]).unwrap()
}

/// Catches: a mesh that comes back though its file was damaged, or though it is that of other
/// bytes.
#[test]
fn damaged_meshes_do_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(Some(folder.path()));
    let mesh = torus(6);
    // Longer than a block of the hash: every block counts, and the length.
    let bytes = b"the bytes of a file".repeat(60_000);
    let mut late = bytes.clone();
    *late.last_mut().unwrap() ^= 1;
    let key_of_others = [&late[..], &bytes[..9], &[&bytes[..], &[0]].concat()].map(key);
    let bytes = &key(&bytes);
    assert_eq!(cache.mesh(bytes), None);
    cache.keep_mesh(bytes, &mesh, 3);
    assert_eq!(cache.mesh(bytes), Some((mesh.clone(), 3)));
    for other in key_of_others {
        assert_eq!(cache.mesh(&other), None);
    }
    let file = only_file(folder.path());
    let good = fs::read(&file).unwrap();
    let mut r = Random(9);
    for i in 0..good.len() {
        let mut bad = good.clone();
        bad[i] ^= 1 << r.below(8);
        fs::write(&file, &bad).unwrap();
        assert_eq!(cache.mesh(bytes), None, "byte {i}");
    }
    for length in [0, 7, 100, good.len() - 1] {
        fs::write(&file, &good[..length]).unwrap();
        assert_eq!(cache.mesh(bytes), None, "length {length}");
    }
    // Meshes are listed and cleared like trees, but are not trees.
    fs::write(&file, &good).unwrap();
    let listed = cache.list();
    assert_eq!((listed.len(), listed[0].triangles), (1, 72));
    fs::rename(&file, file.with_extension("tree")).unwrap();
    assert!(cache.list().is_empty());
    fs::rename(file.with_extension("tree"), &file).unwrap();
    assert_eq!(cache.clear().unwrap(), 1);
}

/// A large mesh in a cell: whatever is done to what is kept of it, and whatever has changed in its
/// file, the answer is that of a run without a cache.
#[test]
fn kept_meshes_change_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let root = env!("CARGO_MANIFEST_DIR");
    let text = fs::read_to_string(format!("{root}/robots/arm6/cell.toml")).unwrap();
    let text = ["urdf", "mesh"].iter().fold(text, |text, key| {
        text.replace(
            &format!("{key} = \""),
            &format!("{key} = \"{root}/robots/arm6/"),
        )
    });
    let cell = folder.path().join("cell.toml");
    let text = text + "\n[[obstacle]]\nname = \"ring\"\nmesh = \"ring.stl\"\nsolid = true\n";
    fs::write(&cell, text).unwrap();
    // Around the foot of the arm, 28,800 triangles: below the floor, then where the gripper goes.
    let mesh = torus(120);
    let stl = |lift: f32| {
        let mut bytes = vec![0; 80];
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for t in 0..mesh.triangles.len() {
            bytes.extend([0; 12]);
            for p in mesh.corners(t) {
                let numbers = [p.x as f32 - 3.0, p.y as f32, p.z as f32 + lift];
                bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            }
            bytes.extend([0, 0]);
        }
        bytes
    };
    let ring = folder.path().join("ring.stl");
    let trees = folder.path().join("trees");
    let program = format!("{root}/trajectories/arm6/pick_place.csv");
    let asked = |cache: CacheFolder| {
        let job = Job {
            cell: CellJob {
                cache,
                ..CellJob::file(&cell)
            },
            ..Job::new(&cell, vec![program.clone().into()])
        };
        let mut outcome = run(&job, &NoProgress);
        outcome.programs[0].statistics.check_seconds = 0.0;
        let answer = outcome.programs.remove(0);
        (answer.verdict, serde_json::to_string(&answer).unwrap())
    };
    let kept = || asked(CacheFolder::At(trees.clone()));
    let meshes = || -> Vec<PathBuf> {
        let entries = fs::read_dir(&trees).unwrap().map(|e| e.unwrap().path());
        entries
            .filter(|p| p.extension() == Some("mesh".as_ref()))
            .collect()
    };
    let mut seen = Vec::new();
    for lift in [-2.0, 0.9] {
        fs::write(&ring, stl(lift)).unwrap();
        let truth = asked(CacheFolder::Off);
        seen.push(truth.0);
        assert_eq!(kept(), truth);
        assert_eq!(kept(), truth);
    }
    assert_eq!(seen, [Verdict::Clear, Verdict::Collision]);
    let truth = asked(CacheFolder::Off);
    assert_eq!(meshes().len(), 2, "one for each state of the file");
    // Forged, with right checksums: every kept mesh far away. Then damaged, byte by byte here and
    // there.
    let mut away = mesh.clone();
    away.vertices.iter_mut().for_each(|v| v.z -= 9.0);
    let key = blake3::Hash::from_bytes(key(&fs::read(&ring).unwrap()));
    let mine = trees.join(format!("{}.mesh", key.to_hex()));
    let good = fs::read(&mine).unwrap();
    fs::write(&mine, meshes::encode(&away, 0, &key)).unwrap();
    assert_eq!(kept(), truth);
    assert_eq!(fs::read(&mine).unwrap(), good, "put right");
    for at in (0..good.len()).step_by(good.len() / 5) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        fs::write(&mine, bad).unwrap();
        assert_eq!(kept(), truth, "byte {at}");
        assert_eq!(fs::read(&mine).unwrap(), good, "put right after byte {at}");
    }
}
