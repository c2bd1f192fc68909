//! Content hashes of large arrays on all cores: arrays are hashed in blocks, and then the hashes of
//! the blocks.

use rayon::prelude::*;

/// Bytes of a block: a few, so that a block that was just read is hashed while it is still at hand.
pub(super) const BLOCK: usize = 1 << 19;

/// Hash of one block.
pub(super) type BlockHash = [u8; 32];

/// Hash of a block.
pub(super) fn block(bytes: &[u8]) -> BlockHash {
    *blake3::hash(bytes).as_bytes()
}

/// The hashes of the blocks of an array.
pub(super) fn blocks(bytes: &[u8]) -> Vec<BlockHash> {
    bytes.par_chunks(BLOCK).map(block).collect()
}

/// Hash of what stands at the start and of arrays by their blocks. The start must tell how long the
/// arrays are.
pub(super) fn digest(start: &[u8], arrays: &[Vec<BlockHash>]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start);
    for blocks in arrays {
        hasher.update(blocks.as_flattened());
    }
    hasher.finalize()
}
