//! SHA-256, as fast as the processor has it. The checker has its own one, without any library.

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate names the geometry file by this hash, and the checker computes its own.
    #[test]
    fn it_is_the_hash_of_the_checker() {
        for length in [0, 1, 55, 56, 63, 64, 65, 1000] {
            let bytes: Vec<u8> = (0..length).map(|k| (k * 37) as u8).collect();
            assert_eq!(sha256(&bytes), clearance_recheck::numbers::sha256(&bytes));
        }
    }
}
