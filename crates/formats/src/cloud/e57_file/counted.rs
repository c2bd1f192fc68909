//! Whether a scan counts all records that its packets hold: the crate reads as many as are counted.

use e57::{PointCloud, RecordDataType};

use crate::Problem;
use crate::cloud::damaged;

/// Bytes of the checksum at the end of each page.
const CHECKSUM: u64 = 4;
/// The kind of section that holds points, and the kind of packet that holds some of them.
const SECTION: u8 = 1;
const DATA: u8 = 1;
/// Writers fill up the whole numbers of a scan to a word of this many bits.
const FILLED_BITS: u64 = 64;

/// The bytes of a file without its checksums.
struct Pages<'a> {
    bytes: &'a [u8],
    page: u64,
}

impl Pages<'_> {
    /// The place of a byte without the checksums before it.
    fn without_checksums(&self, offset: u64) -> u64 {
        offset / self.page * (self.page - CHECKSUM) + offset % self.page
    }

    fn at<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        let mut found = [0; N];
        for (byte, k) in found.iter_mut().zip(offset..) {
            let inner = self.page - CHECKSUM;
            let file = (k / inner).checked_mul(self.page)?.checked_add(k % inner)?;
            *byte = *self.bytes.get(usize::try_from(file).ok()?)?;
        }
        Some(found)
    }
}

/// Refuses a scan that counts fewer records than there are.
pub(super) fn agree(bytes: &[u8], page: u64, scan: &PointCloud) -> Result<(), Problem> {
    if page <= CHECKSUM {
        return Err(damaged("its pages are too small"));
    }
    let streams = bytes_of_streams(&Pages { bytes, page }, scan);
    let records = scan.prototype.iter().zip(&streams);
    let there = records.filter_map(|(record, &bytes)| {
        let bits = bytes.saturating_mul(8);
        match record.data_type {
            RecordDataType::Single { .. } => Some(bits / 32),
            RecordDataType::Double { .. } => Some(bits / 64),
            RecordDataType::ScaledInteger { min, max, .. }
            | RecordDataType::Integer { min, max } => {
                let values = i128::from(max) - i128::from(min);
                let size = u64::from(i128::BITS - values.max(0).leading_zeros());
                bits.saturating_sub(FILLED_BITS).checked_div(size)
            }
        }
    });
    let there = there.min().unwrap_or(0);
    let none = scan.records == 0 && streams.iter().any(|&bytes| bytes > 0);
    if none || scan.records < there {
        return Err(damaged(format!(
            "a scan counts {} points (`recordCount`), and its packets hold {}",
            scan.records,
            if none {
                "some".to_owned()
            } else {
                format!("{there} or more")
            }
        )));
    }
    Ok(())
}

/// How many bytes each record of the prototype has, in all packets up to the end of the section or to
/// what is no packet.
fn bytes_of_streams(pages: &Pages, scan: &PointCloud) -> Vec<u64> {
    let mut streams = vec![0; scan.prototype.len()];
    let section = pages.without_checksums(scan.file_offset);
    let header = pages.at::<1>(section);
    let length = pages.at(section.saturating_add(8)).map(u64::from_le_bytes);
    let data = pages.at(section.saturating_add(16)).map(u64::from_le_bytes);
    let (Some([SECTION]), Some(length), Some(data)) = (header, length, data) else {
        return streams;
    };
    let end = section.saturating_add(length);
    let mut offset = pages.without_checksums(data);
    while offset < end {
        let head = pages.at::<4>(offset);
        let Some([kind, _, low, high]) = head else {
            break;
        };
        let length = u64::from(u16::from_le_bytes([low, high])) + 1;
        let count = pages.at(offset + 4).map(u16::from_le_bytes);
        if kind == DATA && count.map(usize::from) == Some(streams.len()) {
            for (bytes, k) in streams.iter_mut().zip(0..) {
                let size = pages.at(offset + 6 + 2 * k).map(u16::from_le_bytes);
                *bytes += u64::from(size.unwrap_or(0));
            }
        }
        offset += length;
    }
    streams
}
