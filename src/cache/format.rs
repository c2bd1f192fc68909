//! A tree as bytes: a header, the nodes as they lie in memory, and which triangle of the mesh
//! stands where.
//!
//! Nothing in a file is believed. Triangles, corners, and what is inside come from the mesh in
//! memory; the order must be one of all its triangles, each once; and of every node it is proved
//! that it holds what lies below it. The checksum only tells damage: anybody can make one.

use bytemuck::{Pod, Zeroable};
use clearance_proof::bvh::{Node, SphereTree};
use clearance_proof::geometry::mesh::Mesh;
use rayon::prelude::*;

use super::digest::{BLOCK, BlockHash, block, blocks, digest};

/// Raise it with every change of this layout, of the node, or of what the builder makes.
pub(super) const VERSION: u32 = 4;

const MAGIC: [u8; 8] = *b"CLRTREE\n";

/// Reads differently where bytes stand in the other order.
pub(super) const ORDER: u32 = 0x0102_0304;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    order: u32,
    key: [u8; 32],
    nodes: u64,
    triangles: u64,
    /// Hash of the header (with zeros in this field) and of the blocks after it.
    checksum: [u8; 32],
}

const HEADER: usize = size_of::<Header>();

/// The facts in the beginning of a file.
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

/// The whole file, for nodes over the triangles of a mesh in this order.
pub(super) fn encode(nodes: &[Node], order: &[u32], key: &blake3::Hash) -> Vec<u8> {
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        order: ORDER,
        key: *key.as_bytes(),
        nodes: nodes.len() as u64,
        triangles: order.len() as u64,
        checksum: [0; 32],
    };
    let arrays: [&[u8]; 2] = [bytemuck::cast_slice(nodes), bytemuck::cast_slice(order)];
    header.checksum = checksum(&header, &arrays.map(blocks));
    [&[bytemuck::bytes_of(&header)], &arrays[..]]
        .concat()
        .concat()
}

/// A file that is read from any place, on several threads at once.
pub(super) struct TreeReader<R> {
    /// Bytes in it.
    pub(super) length: u64,
    /// Fills the buffer from this offset on; `None` if that cannot be.
    pub(super) read: R,
}

/// The tree of this mesh, if this is an undamaged file of this version for this key, and the tree
/// in it proves to be one of the mesh.
pub(super) fn decode<R>(
    source: &TreeReader<R>,
    key: &blake3::Hash,
    mesh: &Mesh,
    radius: f64,
) -> Option<SphereTree>
where
    R: Fn(u64, &mut [u8]) -> Option<()> + Sync,
{
    let mut header = Header::zeroed();
    (source.read)(0, bytemuck::bytes_of_mut(&mut header))?;
    let known = header.magic == MAGIC
        && header.version == VERSION
        && header.order == ORDER
        && header.key == *key.as_bytes()
        && header.triangles == mesh.triangles.len() as u64;
    if !known {
        return None;
    }
    let start = HEADER as u64;
    let middle = header.nodes.checked_mul(size_of::<Node>() as u64)?;
    let middle = middle.checked_add(start)?;
    let (nodes, tree) = rayon::join(
        || take(source, start, header.nodes),
        || {
            let (order, blocks, end) = take(source, middle, header.triangles)?;
            let tree = has_each_once(&order)
                .then(|| SphereTree::from_nodes(mesh, radius, Vec::new(), &order))?;
            Some((tree, blocks, end))
        },
    );
    let (nodes, node_blocks, _) = nodes?;
    let (mut tree, order_blocks, end) = tree?;
    let blocks = [node_blocks, order_blocks];
    if end != source.length || checksum(&header, &blocks) != header.checksum {
        return None;
    }
    tree.nodes = nodes;
    tree.check_nodes_and_find_solids().ok()?;
    Some(tree)
}

/// Whether these are the numbers below their count in some order.
fn has_each_once(order: &[u32]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|&triangle| {
        let seen = seen.get_mut(triangle as usize);
        seen.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// Reads the array that begins at this offset, and hashes its blocks while they are at hand. Tells
/// also where it ends.
pub(super) fn take<T: Pod, R>(
    source: &TreeReader<R>,
    start: u64,
    count: u64,
) -> Option<(Vec<T>, Vec<BlockHash>, u64)>
where
    R: Fn(u64, &mut [u8]) -> Option<()> + Sync,
{
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
    Some((items, hashes?, end))
}

fn checksum(header: &Header, arrays: &[Vec<BlockHash>]) -> [u8; 32] {
    let blank = Header {
        checksum: [0; 32],
        ..*header
    };
    *digest(bytemuck::bytes_of(&blank), arrays).as_bytes()
}
