//! A hash of things of several kinds: each is preceded by its length, so that none runs into the
//! next.

use blake3::{Hash, Hasher};

/// A hash that is being made.
pub(crate) struct Digest {
    /// `None`: all bytes wait still, as those of most programs do until the end.
    hasher: Option<Box<Hasher>>,
    /// What is not yet in it: the hasher takes many bytes at a time several times as fast as a few.
    pending: Vec<u8>,
}

/// Bytes are handed to the hasher once so many of them wait.
const PENDING: usize = 1 << 14;

thread_local! {
    /// Room for what waits: a batch of a table makes very many hashes.
    static ROOM: std::cell::Cell<Vec<u8>> = const { std::cell::Cell::new(Vec::new()) };
}

impl Digest {
    pub(crate) fn new(what: &str) -> Self {
        let mut digest = Digest {
            hasher: None,
            pending: ROOM.take(),
        };
        digest.text("clearance batch 4");
        digest.text(what);
        digest
    }

    pub(crate) fn finish(mut self) -> Hash {
        let hash = match &mut self.hasher {
            None => blake3::hash(&self.pending),
            Some(hasher) => hasher.update(&self.pending).finalize(),
        };
        self.pending.clear();
        ROOM.set(self.pending);
        hash
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= PENDING {
            self.take_pending();
        }
    }

    #[cold]
    fn take_pending(&mut self) {
        let hasher = self.hasher.get_or_insert_default();
        hasher.update(&self.pending);
        self.pending.clear();
    }

    /// Seven bits a byte, the lowest first; all but the last byte have the eighth bit: most are
    /// small, and no two numbers have the same bytes.
    #[inline]
    pub(crate) fn count(&mut self, mut n: usize) {
        while n >= 128 {
            self.pending.push(n as u8 | 128);
            n >>= 7;
        }
        self.bytes(&[n as u8]);
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.bytes(&[u8::from(flag)]);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    pub(crate) fn number(&mut self, x: f64) {
        self.bytes(&x.to_bits().to_le_bytes());
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        if cfg!(target_endian = "little") {
            return self.bytes(bytemuck::cast_slice(numbers));
        }
        for x in numbers {
            self.bytes(&x.to_bits().to_le_bytes());
        }
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, then: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            then(self, value);
        }
    }
}
