//! Recordings in MCAP. The crate finds the records of the file; what a chunk holds is unpacked and
//! checked here, because the crate believes lengths within it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Read;

use mcap::McapError;
use mcap::records::{ChunkHeader, Record, op};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};

use super::MOST_RECORD;
use super::schema::Wire;
use super::topics::{Topic, Topics};

/// Opcode and length in front of a record.
const HEAD: usize = 9;

/// A file that is read from its beginning to its end.
pub(super) struct McapReader {
    input: File,
    reader: LinearReader,
    /// The chunk that is being read, unpacked, and how much of it is done.
    chunk: Vec<u8>,
    done: usize,
    schemas: HashMap<u16, McapSchema>,
    /// Topics by channel.
    channels: HashMap<u16, usize>,
    messages: u64,
}

/// How the messages of a channel are defined.
#[derive(PartialEq)]
struct McapSchema {
    /// The messages' type.
    kind: String,
    /// The language of the definition.
    encoding: String,
    /// The definition.
    text: String,
}

impl McapReader {
    pub(super) fn new(input: File) -> Self {
        let options = LinearReaderOptions::default()
            .with_emit_chunks(true)
            .with_check_finishes_after_end_magic(true)
            .with_validate_data_section_crc(true)
            .with_validate_summary_section_crc(true)
            .with_record_length_limit(MOST_RECORD);
        Self {
            input,
            reader: LinearReader::new_with_options(options),
            chunk: Vec::new(),
            done: 0,
            schemas: HashMap::new(),
            channels: HashMap::new(),
            messages: 0,
        }
    }

    /// The next message of a topic that is wanted; the others are counted.
    pub(super) fn next(&mut self, topics: &mut Topics) -> Result<Option<(usize, Vec<u8>)>, String> {
        loop {
            if self.done < self.chunk.len() {
                let chunk = std::mem::take(&mut self.chunk);
                let (opcode, length) = head(&chunk[self.done..])?;
                let from = self.done + HEAD;
                self.done = from + length;
                let found = match opcode {
                    op::CHUNK => Err("a chunk stands in a chunk".to_owned()),
                    _ => self.record(opcode, &chunk[from..self.done], topics),
                };
                self.chunk = chunk;
                if let Some(message) = found? {
                    return Ok(Some(message));
                }
                continue;
            }
            let event = match self.reader.next_event() {
                None => return Ok(None),
                // Of several files that were joined only the first would be read.
                Some(Err(McapError::BytesAfterEndMagic)) => {
                    return Err("something stands behind its end".to_owned());
                }
                Some(event) => event.map_err(|e| e.to_string())?,
            };
            let (opcode, data) = match event {
                LinearReadEvent::ReadRequest(wanted) => {
                    let space = self.reader.insert(wanted);
                    let read = self.input.read(space).map_err(|e| e.to_string())?;
                    self.reader.notify_read(read);
                    continue;
                }
                LinearReadEvent::Record { opcode, data } => (opcode, data.to_vec()),
            };
            if opcode == op::CHUNK {
                let record = mcap::parse_record(opcode, &data).map_err(|e| e.to_string())?;
                if let Record::Chunk { header, data } = record {
                    self.chunk = unpacked(&header, &data)?;
                    self.done = 0;
                }
            } else if let Some(message) = self.record(opcode, &data, topics)? {
                return Ok(Some(message));
            }
        }
    }

    /// Takes note of a record; gives a message that is wanted.
    fn record(
        &mut self,
        opcode: u8,
        data: &[u8],
        topics: &mut Topics,
    ) -> Result<Option<(usize, Vec<u8>)>, String> {
        if ![op::SCHEMA, op::CHANNEL, op::MESSAGE, op::STATISTICS].contains(&opcode) {
            return Ok(None);
        }
        let record = mcap::parse_record(opcode, data).map_err(|e| e.to_string())?;
        match record {
            Record::Schema { header, data } => {
                let schema = McapSchema {
                    kind: header.name,
                    encoding: header.encoding,
                    text: String::from_utf8_lossy(&data).into_owned(),
                };
                // They are written again at the end of the file.
                match self.schemas.entry(header.id) {
                    Entry::Vacant(new) => drop(new.insert(schema)),
                    Entry::Occupied(before) if *before.get() == schema => {}
                    Entry::Occupied(_) => {
                        return Err(format!("schema {} has two meanings", header.id));
                    }
                }
            }
            Record::Channel(channel) => {
                let schema = self.schemas.get(&channel.schema_id);
                let (kind, encoding, text) = schema.map_or(("", "", ""), |it| {
                    (it.kind.as_str(), it.encoding.as_str(), it.text.as_str())
                });
                let wire = match (channel.message_encoding.as_str(), encoding) {
                    ("cdr", "ros2msg") => Ok(Wire::Cdr),
                    ("ros1", "ros1msg") => Ok(Wire::Ros1),
                    (_, "") => Err("it has no definition of its messages".to_owned()),
                    (message, schema) => Err(format!(
                        "its messages are encoded as `{message}` and defined by `{schema}`; `cdr` with `ros2msg` and `ros1` with `ros1msg` are read"
                    )),
                };
                let topic = topics.enter(Topic::new(&channel.topic, kind, text, wire))?;
                // They are written again at the end of the file.
                let before = self.channels.insert(channel.id, topic);
                if before.is_some_and(|before| before != topic) {
                    return Err(format!("channel {} has two meanings", channel.id));
                }
            }
            Record::Message { header, data } => {
                self.messages += 1;
                let topic = self.channels.get(&header.channel_id);
                let &topic = topic.ok_or("a message belongs to no channel")?;
                if topics.count(topic, header.channel_id.into(), header.log_time) {
                    return Ok(Some((topic, data.into_owned())));
                }
            }
            Record::Statistics(about) if about.message_count != self.messages => {
                return Err(format!(
                    "it says that it has {} messages, and has {}",
                    about.message_count, self.messages
                ));
            }
            _ => {}
        }
        Ok(None)
    }
}

/// The kind of a record in a chunk, and its length.
fn head(bytes: &[u8]) -> Result<(u8, usize), String> {
    let cut = || "a record is longer than its chunk".to_owned();
    let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or_else(cut)?;
    let [opcode, length @ ..] = *head;
    let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| cut())?;
    if length <= rest.len() {
        Ok((opcode, length))
    } else {
        Err(cut())
    }
}

/// The records of a chunk.
fn unpacked(about: &ChunkHeader, data: &[u8]) -> Result<Vec<u8>, String> {
    let size = about.uncompressed_size;
    if size > MOST_RECORD as u64 {
        return Err(format!(
            "a chunk says that it has {size} bytes, more than the {} MiB that are read of one",
            MOST_RECORD >> 20
        ));
    }
    let damaged = |e: std::io::Error| format!("a chunk is damaged: {e}");
    let mut bytes = Vec::new();
    match about.compression.as_str() {
        "" => bytes.extend_from_slice(data),
        "lz4" => {
            let reader = lz4_flex::frame::FrameDecoder::new(data);
            reader
                .take(size + 1)
                .read_to_end(&mut bytes)
                .map_err(damaged)?;
        }
        "zstd" => {
            let reader = zstd::stream::read::Decoder::new(data).map_err(damaged)?;
            reader
                .take(size + 1)
                .read_to_end(&mut bytes)
                .map_err(damaged)?;
        }
        other => {
            return Err(format!(
                "a chunk is compressed by `{other}`, which is not read; `lz4` and `zstd` are"
            ));
        }
    }
    if bytes.len() as u64 != size {
        return Err("a chunk is damaged: it does not have the size that it says".to_owned());
    }
    // 0: no sum was taken.
    let sum = about.uncompressed_crc;
    if sum == 0 || sum == crc32fast::hash(&bytes) {
        Ok(bytes)
    } else {
        Err("a chunk is damaged: its sum is another one".to_owned())
    }
}
