//! Welded meshes that somebody keeps for files that were read before: proved of the bytes of the
//! file, so that nothing has to be believed of who keeps them.
//!
//! Only binary STL is worth it. Its corners are not shared, so that reading it is mostly finding
//! out which are the same.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Read, Seek};

use clearance_proof::geometry::mesh::Mesh;

use super::{LoadedMesh, checks, stl};

/// Bytes of a file below which reading it is as quick as fetching what is kept.
const LEAST: u64 = 1 << 20;

/// Records that are read at once: few enough to stay at hand, so that a large file needs no memory.
const AT_ONCE: usize = 4096;

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptMesh {
    /// As it was read, not scaled.
    pub mesh: Mesh,
    /// How many of its triangles are degenerate: only a note says so.
    pub degenerate: u64,
}

/// The key by which files are told apart.
pub type FileKey = [u8; 32];

/// Who keeps meshes. What is kept may be anything: it is proved before it is used.
pub trait KeptMeshes: Debug + Send + Sync {
    /// The key of a file of so many bytes: another one for other bytes.
    ///
    /// # Errors
    /// When the file cannot be read, or ends sooner.
    fn key(&self, length: u64, file: &mut dyn Read) -> io::Result<FileKey>;
    /// The mesh that is kept for a file.
    fn get(&self, key: &FileKey) -> Option<KeptMesh>;
    /// Keeps what reading a file gave.
    fn put(&self, key: &FileKey, mesh: &Mesh, degenerate: u64);
}

/// A file whose mesh may be kept.
pub(super) struct Asked<'a> {
    kept: &'a dyn KeptMeshes,
    file: File,
    key: FileKey,
    /// Triangles in the file.
    triangles: u64,
}

impl<'a> Asked<'a> {
    /// The file of this length, if meshes of such files are kept.
    pub(super) fn new(kept: &'a dyn KeptMeshes, mut file: File, length: u64) -> Option<Self> {
        let mut start = [0; stl::PREAMBLE];
        if length < LEAST {
            return None;
        }
        file.read_exact(&mut start).ok()?;
        let triangles = stl::binary_triangles(&start, length)?;
        file.rewind().ok()?;
        let key = kept.key(length, &mut file).ok()?;
        Some(Self {
            kept,
            file,
            key,
            triangles,
        })
    }

    /// The mesh that is kept, if it is what reading the file gives.
    pub(super) fn fetched(&mut self) -> Option<LoadedMesh> {
        let kept = self.kept.get(&self.key)?;
        // Read anew: if the file is another one by now, the mesh is that of what it is now.
        self.file.rewind().ok()?;
        kept.proved(&mut self.file)
    }

    /// Keeps what reading the file gave, unless seams of it were closed: then there are slivers.
    pub(super) fn keep(self, mesh: &Mesh) {
        if mesh.triangles.len() as u64 == self.triangles {
            let degenerate = checks::degenerate(mesh);
            self.kept.put(&self.key, mesh, degenerate as u64);
        }
    }
}

impl KeptMesh {
    /// The mesh, if it is what reading a file of these bytes gives: the same triangles in the same
    /// order, on corners that are all different, in the order of their first use.
    ///
    /// That there are no seams to be closed belongs to it: without the slivers across them a mesh
    /// counts as open, and nothing would be found inside it. Nothing is kept of files with seams.
    pub(super) fn proved(self, mut file: impl Read + Send) -> Option<LoadedMesh> {
        let triangles = &self.mesh.triangles;
        let mut start = [0; stl::PREAMBLE];
        file.read_exact(&mut start).ok()?;
        let length = stl::PREAMBLE as u64 + triangles.len() as u64 * stl::RECORD as u64;
        if triangles.is_empty() || stl::binary_triangles(&start, length).is_none() {
            return None;
        }
        let (same, differ) = rayon::join(|| self.is_of(file), || self.mesh.corners_differ());
        // Only of what is this file's: before that, corners may be numbered anyhow.
        if !same.ok()? || !differ || self.mesh.seams_closed().is_some() {
            return None;
        }
        let degenerate = usize::try_from(self.degenerate).ok()?;
        Some(LoadedMesh {
            mesh: self.mesh,
            notes: checks::degenerate_note(degenerate).into_iter().collect(),
            up_axis: None,
            unit_doubt: None,
            comment_unit: stl::heading_unit(&start),
            bend: 0.0,
            open_walls: false,
        })
    }

    /// Whether the triangles are those of the records, in the same order, on corners in the order
    /// of their first use, and nothing follows.
    fn is_of(&self, mut records: impl Read) -> io::Result<bool> {
        let Mesh {
            vertices,
            triangles,
        } = &self.mesh;
        let bits = |x: f64| (x + 0.0).to_bits();
        let mut seen = 0;
        let mut buffer = vec![0; AT_ONCE * stl::RECORD];
        for triangles in triangles.chunks(AT_ONCE) {
            let buffer = &mut buffer[..triangles.len() * stl::RECORD];
            records.read_exact(buffer)?;
            for (corners, record) in triangles.iter().zip(buffer.as_chunks().0) {
                for (&corner, place) in corners.iter().zip(&stl::corners(record)) {
                    seen += u32::from(corner == seen);
                    let same = vertices.get(corner as usize).is_some_and(|known| {
                        (0..3).all(|k| known[k].to_bits() == bits(place[k]) && known[k].is_finite())
                    });
                    if corner >= seen || !same {
                        return Ok(false);
                    }
                }
            }
        }
        let ends = records.read(&mut buffer[..1])? == 0;
        Ok(ends && seen as usize == vertices.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;
    use std::sync::Mutex;

    use clearance_proof::geometry::made::torus;
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::mesh::{UpAxisRule, load_kept, parse};

    /// Keeps one mesh, whatever the file.
    #[derive(Debug, Default)]
    struct One(Mutex<Option<KeptMesh>>, Mutex<usize>);

    impl KeptMeshes for One {
        fn key(&self, length: u64, file: &mut dyn Read) -> io::Result<FileKey> {
            assert_eq!(io::copy(file, &mut io::sink())?, length);
            Ok([0; 32])
        }

        fn get(&self, _: &FileKey) -> Option<KeptMesh> {
            self.0.lock().unwrap().clone()
        }

        fn put(&self, _: &FileKey, mesh: &Mesh, degenerate: u64) {
            *self.1.lock().unwrap() += 1;
            *self.0.lock().unwrap() = Some(KeptMesh {
                mesh: mesh.clone(),
                degenerate,
            });
        }
    }

    /// A binary STL of a mesh, in single precision.
    fn stl_of(mesh: &Mesh) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for t in 0..mesh.triangles.len() {
            bytes.extend([0; 12]);
            let corners = mesh.corners(t);
            let numbers = corners.iter().flat_map(|p| p.iter().copied());
            bytes.extend(numbers.flat_map(|x| (x as f32).to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    fn proved(kept: &KeptMesh, bytes: &[u8]) -> Option<LoadedMesh> {
        kept.clone().proved(bytes)
    }

    /// Catches: a kept mesh that is believed though it is not the file's, or is not welded.
    #[test]
    fn only_what_reading_the_file_gives_is_proved() {
        let mut torus = torus(5);
        torus.triangles.push([0, 0, 3]);
        let bytes = stl_of(&torus);
        let read = parse(&bytes, Path::new("a.stl")).unwrap();
        let kept = KeptMesh {
            mesh: read.mesh.clone(),
            degenerate: 1,
        };
        assert_eq!(proved(&kept, &bytes), Some(read));
        // Another file: any byte of any corner, a triangle more or less.
        for at in 84..bytes.len() {
            let corner = (12..48).contains(&((at - 84) % 50));
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(proved(&kept, &other).is_none(), corner, "byte {at}");
        }
        assert!(proved(&kept, &stl_of(&Mesh::default())).is_none());
        assert!(proved(&kept, &bytes[..bytes.len() - 1]).is_none());
        assert!(proved(&kept, &[&bytes[..], &[0]].concat()).is_none());
        for at in 80..84 {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(proved(&kept, &other).is_none(), "the count, byte {at}");
        }
        type Change = fn(&mut Mesh);
        let changes: [(&str, Change); 8] = [
            ("a corner elsewhere", |m| m.vertices[3].z += 1e-9),
            ("a triangle turned round", |m| m.triangles[7].swap(0, 1)),
            ("a triangle less", |m| {
                m.triangles.pop();
            }),
            ("a triangle twice", |m| m.triangles.push(m.triangles[0])),
            ("an index out of range", |m| m.triangles[9][2] = u32::MAX),
            ("a corner that nobody uses", |m| {
                m.vertices.push(Point3::new(9.0, 9.0, 9.0));
            }),
            ("a corner twice", |m| {
                let twice = m.vertices.len() as u32;
                let last = m.triangles.len() - 1;
                m.vertices.push(m.vertices[m.triangles[last][2] as usize]);
                m.triangles[last][2] = twice;
            }),
            ("corners in another order", |m| {
                m.vertices.swap(0, 1);
                for v in m.triangles.as_flattened_mut() {
                    *v = [1, 0].get(*v as usize).copied().unwrap_or(*v);
                }
            }),
        ];
        for (what, change) in changes {
            let mut forged = kept.clone();
            change(&mut forged.mesh);
            assert!(proved(&forged, &bytes).is_none(), "{what}");
        }
    }

    /// Catches: a kept mesh that hides what is wrong with a file; answers that depend on what is
    /// kept.
    #[test]
    fn files_are_read_as_without() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.stl");
        let mesh = torus(120);
        let bytes = stl_of(&mesh);
        assert!(bytes.len() as u64 >= LEAST, "{} bytes", bytes.len());
        std::fs::write(&file, &bytes).unwrap();
        let one = One::default();
        let scale = Vector3::new(0.001, -0.001, 0.001);
        let load = |kept| load_kept(&file, scale, UpAxisRule::Apply, kept);
        let plain = load(None).unwrap();
        for _ in 0..2 {
            assert_eq!(load(Some(&one)).unwrap(), plain);
            assert!(one.0.lock().unwrap().is_some());
        }
        assert_eq!(*one.1.lock().unwrap(), 1, "the second time it was fetched");
        // Not believed, and put right.
        let truth = one.get(&[0; 32]);
        one.0.lock().unwrap().as_mut().unwrap().mesh.triangles[5].swap(1, 2);
        assert_eq!(load(Some(&one)).unwrap(), plain);
        assert_eq!(one.get(&[0; 32]), truth);
        // One number of the file changed, and one that is none.
        for number in [1.0f32, f32::NAN] {
            let mut other = bytes.clone();
            other[84 + 50 * 7 + 16..][..4].copy_from_slice(&number.to_le_bytes());
            std::fs::write(&file, &other).unwrap();
            let said = |kept| load(kept).map_err(|e| e.to_string());
            assert_eq!(said(Some(&one)), said(None));
            assert_eq!(said(None).is_err(), number.is_nan());
        }
        // Small files are read.
        let few = One::default();
        std::fs::write(&file, stl_of(&torus(10))).unwrap();
        load(Some(&few)).unwrap();
        assert!(few.0.lock().unwrap().is_none());
    }

    /// Nothing is kept of a file whose seams were closed: it would count as open the next time.
    #[test]
    fn closed_seams_are_closed_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.stl");
        let mesh = torus(120);
        let mut bytes = stl_of(&mesh);
        // The first corner of one triangle, off by one rounding.
        let at = 84 + 50 * 100 + 12;
        let x = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        bytes[at..at + 4].copy_from_slice(&x.next_up().to_le_bytes());
        std::fs::write(&file, &bytes).unwrap();
        let one = One::default();
        for _ in 0..2 {
            let loaded = load_kept(&file, Vector3::repeat(1.0), UpAxisRule::Apply, Some(&one));
            let notes = loaded.unwrap().notes;
            assert!(notes[0].starts_with("seams of 1 piece"), "{notes:?}");
            assert!(one.0.lock().unwrap().is_none());
        }
        // Kept all the same, by something that closes no seams: the mesh of these bytes, and open.
        let mut open = Mesh::default();
        let mut numbers = HashMap::new();
        for record in bytes[84..].chunks(stl::RECORD) {
            let record = record.try_into().unwrap();
            let corner = |place: &Point3<f64>| {
                let key = [0, 1, 2].map(|k| (place[k] + 0.0).to_bits());
                *numbers.entry(key).or_insert_with(|| {
                    open.vertices.push(*place);
                    open.vertices.len() as u32 - 1
                })
            };
            let triangle = stl::corners(record).each_ref().map(corner);
            open.triangles.push(triangle);
        }
        assert!(open.seams_closed().is_some());
        let forged = KeptMesh {
            mesh: open,
            degenerate: 0,
        };
        assert_eq!(proved(&forged, &bytes), None);
    }
}
