//! A tree as bytes: a header, then nodes, vertices, triangles, pieces, sides, as they lie in memory.

use bytemuck::{Pod, Zeroable};
use nalgebra::Point3;
use rayon::prelude::*;

use super::digest::{BLOCK, BlockHash, block, blocks, digest};
use crate::spheres::SphereTree;

/// Raise it with every change of this layout, of the node, or of what the builder makes.
pub(super) const VERSION: u32 = 3;

const MAGIC: [u8; 8] = *b"CLRTREE\n";

/// Reads differently where bytes stand in the other order.
const ORDER: u32 = 0x0102_0304;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    order: u32,
    key: [u8; 32],
    nodes: u64,
    vertices: u64,
    triangles: u64,
    pieces: u64,
    closed: u64,
    origin: [f64; 3],
    rounding: f64,
    /// Of the header with zeros here, and of the blocks of all that follows.
    checksum: [u8; 32],
}

const HEADER: usize = size_of::<Header>();

/// What the beginning of a file says about it.
pub(super) struct Summary {
    pub(super) triangles: u64,
}

/// Reads the beginning of a file; `None` if it is not one of ours, of whatever version.
pub(super) fn summary(start: &[u8]) -> Option<Summary> {
    let header: Header = bytemuck::pod_read_unaligned(start.get(..HEADER)?);
    (header.magic == MAGIC).then_some(Summary {
        triangles: header.triangles,
    })
}

/// Bytes enough for [`summary`].
pub(super) const SUMMARY: usize = HEADER;

/// The whole file.
pub(super) fn encode(tree: &SphereTree, key: &blake3::Hash) -> Vec<u8> {
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        order: ORDER,
        key: *key.as_bytes(),
        nodes: tree.nodes.len() as u64,
        vertices: tree.vertices.len() as u64,
        triangles: tree.triangles.len() as u64,
        pieces: tree.pieces.len() as u64,
        closed: u64::from(tree.closed),
        origin: tree.origin.into(),
        rounding: tree.rounding,
        checksum: [0; 32],
    };
    let arrays: [&[u8]; 5] = [
        bytemuck::cast_slice(&tree.nodes),
        bytemuck::cast_slice(&tree.vertices),
        bytemuck::cast_slice(&tree.triangles),
        bytemuck::cast_slice(&tree.pieces),
        bytemuck::cast_slice(&tree.sides),
    ];
    header.checksum = checksum(&header, &arrays.map(blocks));
    [&[bytemuck::bytes_of(&header)], &arrays[..]]
        .concat()
        .concat()
}

/// A file that is read from any place, on several threads at once.
pub(super) struct Source<R> {
    /// Bytes in it.
    pub(super) length: u64,
    /// Fills the buffer from this offset on; `None` if that cannot be.
    pub(super) read: R,
}

/// The tree, if this is an undamaged file of this version for this key. Whatever the bytes are, indices in the tree are
/// valid.
pub(super) fn decode<R>(source: &Source<R>, key: &blake3::Hash) -> Option<SphereTree>
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
    let mut at = HEADER as u64;
    let (nodes, node_blocks) = take(source, &mut at, header.nodes)?;
    let (vertices, vertex_blocks) = take(source, &mut at, header.vertices)?;
    let (triangles, triangle_blocks) = take(source, &mut at, header.triangles)?;
    let (pieces, piece_blocks) = take(source, &mut at, header.pieces)?;
    let (sides, side_blocks) = take(source, &mut at, header.triangles)?;
    let blocks = [
        node_blocks,
        vertex_blocks,
        triangle_blocks,
        piece_blocks,
        side_blocks,
    ];
    if at != source.length || checksum(&header, &blocks) != header.checksum {
        return None;
    }
    let tree = SphereTree {
        origin: Point3::from(header.origin),
        nodes,
        vertices,
        triangles,
        rounding: header.rounding,
        closed: header.closed != 0,
        pieces,
        sides,
    };
    // The checksum vouches for the rest; this also holds against a file that was forged.
    tree.structure().is_ok().then_some(tree)
}

/// Reads the array that begins at this offset, and hashes its blocks while they are at hand.
fn take<T: Pod, R>(source: &Source<R>, at: &mut u64, count: u64) -> Option<(Vec<T>, Vec<BlockHash>)>
where
    R: Fn(u64, &mut [u8]) -> Option<()> + Sync,
{
    let start = *at;
    let end = count
        .checked_mul(size_of::<T>() as u64)
        .and_then(|length| length.checked_add(start))?;
    // Nothing is set aside for what is not there.
    if end > source.length {
        return None;
    }
    let mut items: Vec<T> = bytemuck::zeroed_vec(usize::try_from(count).ok()?);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
    let hashes: Option<Vec<BlockHash>> = bytes
        .par_chunks_mut(BLOCK)
        .enumerate()
        .map(|(k, chunk)| {
            (source.read)(start + (k * BLOCK) as u64, chunk)?;
            Some(block(chunk))
        })
        .collect();
    *at = end;
    Some((items, hashes?))
}

fn checksum(header: &Header, arrays: &[Vec<BlockHash>]) -> [u8; 32] {
    let blank = Header {
        checksum: [0; 32],
        ..*header
    };
    *digest(bytemuck::bytes_of(&blank), arrays).as_bytes()
}
