//! A tree as bytes: a header, then nodes, vertices, triangles, as they lie in memory.

use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use nalgebra::Point3;

use crate::spheres::SphereTree;

/// Raise it with every change of this layout, of the node, or of what the builder makes.
pub(super) const VERSION: u32 = 1;

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
    origin: [f64; 3],
    rounding: f64,
    /// Of the header with zeros here, and of all that follows.
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
        origin: tree.origin.into(),
        rounding: tree.rounding,
        checksum: [0; 32],
    };
    let payload: [&[u8]; 3] = [
        bytes_of(&tree.nodes),
        bytes_of(&tree.vertices),
        bytes_of(&tree.triangles),
    ];
    header.checksum = checksum(&header, &payload);
    [&[bytemuck::bytes_of(&header)], &payload[..]]
        .concat()
        .concat()
}

/// The tree, if this is an undamaged file of this version for this key. Whatever the bytes are, indices in the tree are
/// valid.
pub(super) fn decode(bytes: &[u8], key: &blake3::Hash) -> Option<SphereTree> {
    let (start, payload) = bytes.split_at_checked(HEADER)?;
    let header: Header = bytemuck::pod_read_unaligned(start);
    let known = header.magic == MAGIC
        && header.version == VERSION
        && header.order == ORDER
        && header.key == *key.as_bytes();
    if !known || checksum(&header, &[payload]) != header.checksum {
        return None;
    }
    let (nodes, payload) = take(payload, header.nodes)?;
    let (vertices, payload) = take(payload, header.vertices)?;
    let (triangles, payload) = take(payload, header.triangles)?;
    let tree = SphereTree {
        origin: Point3::from(header.origin),
        nodes,
        vertices,
        triangles,
        rounding: header.rounding,
    };
    // The checksum vouches for the rest; this also holds against a file that was forged.
    (payload.is_empty() && tree.structure().is_ok()).then_some(tree)
}

fn bytes_of<T: NoUninit>(items: &[T]) -> &[u8] {
    bytemuck::cast_slice(items)
}

fn take<T: NoUninit + AnyBitPattern>(bytes: &[u8], count: u64) -> Option<(Vec<T>, &[u8])> {
    let length = usize::try_from(count).ok()?.checked_mul(size_of::<T>())?;
    let (items, rest) = bytes.split_at_checked(length)?;
    Some((bytemuck::pod_collect_to_vec(items), rest))
}

fn checksum(header: &Header, payload: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let blank = Header {
        checksum: [0; 32],
        ..*header
    };
    hasher.update(bytemuck::bytes_of(&blank));
    for part in payload {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
