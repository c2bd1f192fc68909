//! Welded meshes as bytes: a header, the corners, and the triangles, under the hash of the file
//! that they were read from.
//!
//! As with trees, nothing in a file is believed: `clearance-formats` proves it of the file's bytes.
//! The checksum tells damage before that.

use std::io::{self, Read};

use bytemuck::{Pod, Zeroable};
use clearance_proof::geometry::mesh::Mesh;

use super::digest::{BLOCK, BlockHash, block, blocks, digest};
use super::format::{ORDER, TreeReader, take};

/// Raise it with every change of this layout, or of how such files are read.
const VERSION: u32 = 2;

const MAGIC: [u8; 8] = *b"CLRMESH\n";

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    order: u32,
    key: [u8; 32],
    vertices: u64,
    triangles: u64,
    degenerate: u64,
    /// Hash of the header (with zeros in this field) and of the blocks after it.
    checksum: [u8; 32],
}

const HEADER: usize = size_of::<Header>();

/// Triangles of the mesh, as the beginning of a file says; `None` if it is not one of ours.
pub(super) fn summary(start: &[u8]) -> Option<u64> {
    let header: Header = bytemuck::pod_read_unaligned(start.get(..HEADER)?);
    (header.magic == MAGIC).then_some(header.triangles)
}

/// Bytes enough for [`summary`].
pub(super) const SUMMARY: usize = HEADER;

/// The key of what reading a file of so many bytes gives. One block of it is in memory at a time.
pub(super) fn key(length: u64, file: &mut dyn Read) -> io::Result<blake3::Hash> {
    let mut buffer = vec![0; BLOCK];
    let mut hashes = Vec::new();
    let mut left = length;
    while left > 0 {
        let here = usize::try_from(left).map_or(BLOCK, |left| left.min(BLOCK));
        file.read_exact(&mut buffer[..here])?;
        hashes.push(block(&buffer[..here]));
        left -= here as u64;
    }
    let numbers = [u64::from(VERSION), length];
    let start = [b"clearance mesh of a file", bytemuck::cast_slice(&numbers)].concat();
    Ok(digest(&start, &[hashes]))
}

/// The whole file.
pub(super) fn encode(mesh: &Mesh, degenerate: u64, key: &blake3::Hash) -> Vec<u8> {
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        order: ORDER,
        key: *key.as_bytes(),
        vertices: mesh.vertices.len() as u64,
        triangles: mesh.triangles.len() as u64,
        degenerate,
        checksum: [0; 32],
    };
    let arrays: [&[u8]; 2] = [
        bytemuck::cast_slice(&mesh.vertices),
        bytemuck::cast_slice(&mesh.triangles),
    ];
    header.checksum = checksum(&header, &arrays.map(blocks));
    [&[bytemuck::bytes_of(&header)], &arrays[..]]
        .concat()
        .concat()
}

/// The mesh, and how many of its triangles are degenerate, if this is an undamaged file of this
/// version for this key.
pub(super) fn decode<R>(source: &TreeReader<R>, key: &blake3::Hash) -> Option<(Mesh, u64)>
where
    R: Fn(u64, &mut [u8]) -> Option<()> + Sync,
{
    let mut header = Header::zeroed();
    (source.read)(0, bytemuck::bytes_of_mut(&mut header))?;
    let known = header.magic == MAGIC
        && header.version == VERSION
        && header.order == ORDER
        && header.key == *key.as_bytes();
    if !known {
        return None;
    }
    let (vertices, vertex_blocks, middle) = take(source, HEADER as u64, header.vertices)?;
    let (triangles, triangle_blocks, end) = take(source, middle, header.triangles)?;
    if end != source.length
        || checksum(&header, &[vertex_blocks, triangle_blocks]) != header.checksum
    {
        return None;
    }
    let mesh = Mesh {
        vertices,
        triangles,
    };
    Some((mesh, header.degenerate))
}

fn checksum(header: &Header, arrays: &[Vec<BlockHash>]) -> [u8; 32] {
    let blank = Header {
        checksum: [0; 32],
        ..*header
    };
    *digest(bytemuck::bytes_of(&blank), arrays).as_bytes()
}
