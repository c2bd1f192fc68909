//! Looks at the headers of pages before they are read: a length in them is a promise about memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Bytes that a page may have when it is unpacked: 64 MiB. Writers make pages of about 1 MiB.
const MOST_PAGE: i64 = 64 << 20;
/// Bytes that the header of a page may have: 1 MiB.
const MOST_HEADER: u64 = 1 << 20;
/// Structures within structures that a header may have.
const DEEPEST: usize = 8;

/// Encodings of pages that are read: plain, dictionaries, RLE, packed differences, split bytes.
const ENCODINGS: [i64; 6] = [0, 2, 3, 5, 8, 9];

/// Goes from header to header through a column of a row group.
///
/// # Errors
/// When a page would be too large, or a header cannot be meant.
pub(super) fn look_through(file: &File, start: u64, length: u64) -> Result<(), String> {
    let mut file = file;
    let end = start
        .checked_add(length)
        .ok_or_else(|| "a column lies outside of the file".to_owned())?;
    let size = file.metadata().map_err(|e| e.to_string())?.len();
    if end > size {
        return Err("a column ends behind the end of the file: it was cut off".to_owned());
    }
    let mut at = start;
    let mut bytes = Vec::new();
    while at < end {
        // Most headers are short; only statistics of texts make them longer.
        let mut window = 256;
        let (header, length) = loop {
            bytes.clear();
            file.seek(SeekFrom::Start(at)).map_err(|e| e.to_string())?;
            let mut source = file.take(window.min(end - at));
            source.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
            let mut thrift = Thrift {
                bytes: &bytes,
                at: 0,
            };
            match thrift.page() {
                Some(header) => break (header, thrift.at as u64),
                None if window < MOST_HEADER && window < end - at => window *= 16,
                None => return Err("the header of a page is damaged".to_owned()),
            }
        };
        header.check()?;
        at += length + header.compressed as u64;
    }
    if at == end {
        Ok(())
    } else {
        Err("pages do not end where their column ends".to_owned())
    }
}

/// The part of a page's header that counts.
#[derive(Debug, Default)]
struct PageHeader {
    unpacked: i64,
    compressed: i64,
    /// Values of a dictionary.
    dictionary: i64,
    encodings: Vec<i64>,
    /// Bytes of levels, which are not compressed.
    levels: [i64; 2],
}

impl PageHeader {
    fn check(&self) -> Result<(), String> {
        let Self {
            unpacked,
            compressed,
            dictionary,
            encodings,
            levels,
        } = self;
        if *unpacked < 0 || *compressed < 0 || levels.iter().any(|l| *l < 0) {
            return Err("a page has a negative length".to_owned());
        }
        if *unpacked > MOST_PAGE {
            return Err(format!(
                "a page has {unpacked} bytes, more than the {} MiB that are read of one",
                MOST_PAGE >> 20
            ));
        }
        // Every value takes at least four bytes there.
        if !(0..=unpacked / 4).contains(dictionary) {
            return Err(format!(
                "a dictionary of {unpacked} bytes says that it has {dictionary} values"
            ));
        }
        if levels[0] + levels[1] > *unpacked {
            return Err("the levels of a page are longer than the page".to_owned());
        }
        match encodings.iter().find(|e| !ENCODINGS.contains(e)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "a page is encoded in a way (number {other}) that is not read; write plain values or dictionaries"
            )),
        }
    }
}

/// The compact protocol of Thrift, as far as headers of pages need it. `None`: there are too few
/// bytes, or it is none.
struct Thrift<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        (end <= self.bytes.len()).then(|| self.at = end)
    }

    /// The fields of a structure, by number and type; `take` takes the value of each.
    fn fields(&mut self, take: &mut dyn FnMut(&mut Self, i64, u8) -> Option<()>) -> Option<()> {
        let mut number = 0i64;
        loop {
            let byte = self.byte()?;
            let kind = byte & 0x0f;
            if kind == 0 {
                return Some(());
            }
            number = match byte >> 4 {
                0 => self.signed()?,
                step => number.checked_add(i64::from(step))?,
            };
            take(self, number, kind)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.unsigned().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.unsigned()?;
                self.pass(length)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.unsigned()?,
                    count => u64::from(count),
                };
                for _ in 0..count {
                    match byte & 0x0f {
                        // In lists a truth value takes a byte.
                        1 | 2 => self.pass(1)?,
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            12 => self.fields(&mut |this, _, kind| this.skip(kind, depth + 1)),
            _ => None,
        }
    }

    fn number(&mut self, kind: u8) -> Option<i64> {
        matches!(kind, 4..=6).then(|| self.signed()).flatten()
    }

    fn page(&mut self) -> Option<PageHeader> {
        let mut header = PageHeader::default();
        self.fields(&mut |this, number, kind| {
            match number {
                2 => header.unpacked = this.number(kind)?,
                3 => header.compressed = this.number(kind)?,
                5 | 7 | 8 if kind == 12 => {
                    let page = number;
                    this.fields(&mut |this, number, kind| {
                        match (page, number) {
                            (7, 1) => header.dictionary = this.number(kind)?,
                            (5 | 7, 2) | (8, 4) => header.encodings.push(this.number(kind)?),
                            (8, 5 | 6) => header.levels[number as usize - 5] = this.number(kind)?,
                            _ => this.skip(kind, 0)?,
                        }
                        Some(())
                    })?;
                }
                _ => this.skip(kind, 0)?,
            }
            Some(())
        })?;
        Some(header)
    }
}
