//! Recordings in MCAP.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use mcap::records::{Record, op};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};

use super::schema::Wire;
use super::{MOST_RECORD, Topic, Topics};

/// A file that is read from its beginning to its end.
pub(super) struct McapReader {
    input: File,
    reader: LinearReader,
    schemas: HashMap<u16, (String, String, String)>,
    /// Topics by channel.
    channels: HashMap<u16, usize>,
    messages: u64,
}

impl McapReader {
    pub(super) fn new(input: File) -> Self {
        let options = LinearReaderOptions::default()
            .with_validate_chunk_crcs(true)
            // Before any record of it is believed.
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(MOST_RECORD);
        Self {
            input,
            reader: LinearReader::new_with_options(options),
            schemas: HashMap::new(),
            channels: HashMap::new(),
            messages: 0,
        }
    }

    /// The next message of a topic that is wanted; the others are counted.
    pub(super) fn next(&mut self, topics: &mut Topics) -> Result<Option<(usize, Vec<u8>)>, String> {
        loop {
            let event = match self.reader.next_event() {
                None => return Ok(None),
                Some(event) => event.map_err(|e| e.to_string())?,
            };
            let (opcode, data) = match event {
                LinearReadEvent::ReadRequest(wanted) => {
                    let space = self.reader.insert(wanted);
                    let read = self.input.read(space).map_err(|e| e.to_string())?;
                    self.reader.notify_read(read);
                    continue;
                }
                LinearReadEvent::Record { opcode, data } => (opcode, data),
            };
            if ![op::SCHEMA, op::CHANNEL, op::MESSAGE, op::STATISTICS].contains(&opcode) {
                continue;
            }
            let record = mcap::parse_record(opcode, data).map_err(|e| e.to_string())?;
            match record {
                Record::Schema { header, data } => {
                    let text = String::from_utf8_lossy(&data).into_owned();
                    let schema = (header.name, header.encoding, text);
                    self.schemas.insert(header.id, schema);
                }
                Record::Channel(channel) => {
                    let schema = self.schemas.get(&channel.schema_id);
                    let (kind, encoding, text) = match schema {
                        Some((kind, encoding, text)) => (kind.as_str(), encoding.as_str(), text),
                        None => ("", "", &String::new()),
                    };
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
                    if topics.count(topic) {
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
        }
    }
}
