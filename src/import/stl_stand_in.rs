//! STL only, until the mesh readers are here.
use super::*;
pub(crate) struct LoadedMesh {
    pub(crate) mesh: crate::geometry::mesh::Mesh,
    pub(crate) notes: Vec<String>,
}
pub(crate) fn load(file: &Path, scale: nalgebra::Vector3<f64>) -> Result<LoadedMesh, ImportError> {
    let bytes = read_bytes(file)?;
    let bad = |cause: String| {
        ImportError::file(
            file,
            Problem::Geometry {
                cause,
                remedy: "export it again".into(),
            },
        )
    };
    if !file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("stl"))
    {
        return Err(bad("not an stl file".into()));
    }
    let stl = stl_io::read_stl(&mut std::io::Cursor::new(bytes)).map_err(|e| bad(e.to_string()))?;
    let mesh = crate::geometry::mesh::Mesh {
        vertices: stl
            .vertices
            .iter()
            .map(|v| nalgebra::Point3::new(v[0] as f64, v[1] as f64, v[2] as f64))
            .collect(),
        triangles: stl
            .faces
            .iter()
            .map(|f| f.vertices.map(|v| v as u32))
            .collect(),
    };
    Ok(LoadedMesh {
        mesh: mesh.scaled(scale),
        notes: vec![],
    })
}
