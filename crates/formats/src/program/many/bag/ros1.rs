//! Bags of ROS 1, version 2.0.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};

use super::MOST_RECORD;
use super::schema::Wire;
use super::topics::{Topic, Topics};

const MAGIC: &[u8] = b"#ROSBAG V2.0\n";
/// Bytes of a chunk that has been unpacked; they are usually 768 kB.
const MOST_CHUNK: u64 = 256 << 20;

/// A file that is read from its beginning to its end.
pub(super) struct BagReader {
    input: BufReader<File>,
    /// The chunk that is being read.
    chunk: Cursor<Vec<u8>>,
    begun: bool,
    /// Chunks that the bag says it has, and that were read.
    promised: u32,
    chunks: u32,
    /// Topics by connection.
    connections: HashMap<u32, usize>,
    /// Messages of the last chunk by connection: its index, which follows it, counts them too.
    in_chunk: HashMap<u32, u32>,
}

/// The fields of a record's head.
struct Head(HashMap<String, Vec<u8>>);

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes;
        let mut fields = HashMap::new();
        while !rest.is_empty() {
            let length = number(&mut rest)? as usize;
            if length > rest.len() {
                return Err("a field of a record is longer than the record".to_owned());
            }
            let (field, after) = rest.split_at(length);
            rest = after;
            let Some(equals) = field.iter().position(|&b| b == b'=') else {
                return Err("a field of a record has no value".to_owned());
            };
            let name = String::from_utf8_lossy(&field[..equals]).into_owned();
            fields.insert(name, field[equals + 1..].to_vec());
        }
        Ok(Self(fields))
    }

    fn get(&self, name: &str) -> Result<&[u8], String> {
        let field = self.0.get(name);
        let field = field.ok_or_else(|| format!("a record has no field `{name}`"))?;
        Ok(field)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        Ok(String::from_utf8_lossy(self.get(name)?).into_owned())
    }

    fn number(&self, name: &str) -> Result<u32, String> {
        number(&mut self.get(name)?)
    }

    /// When a message was logged, nanoseconds.
    fn time(&self) -> Result<u64, String> {
        let mut time = self.get("time")?;
        let seconds = u64::from(number(&mut time)?);
        Ok(seconds * 1_000_000_000 + u64::from(number(&mut time)?))
    }

    fn op(&self) -> Result<u8, String> {
        match self.get("op")? {
            [op] => Ok(*op),
            _ => Err("a record does not say what it is".to_owned()),
        }
    }
}

fn number(bytes: &mut &[u8]) -> Result<u32, String> {
    let (four, rest) = bytes
        .split_first_chunk::<4>()
        .ok_or("a number is cut off")?;
    *bytes = rest;
    Ok(u32::from_le_bytes(*four))
}

/// Bytes with their length in front; `None` at the end.
fn part(input: &mut impl Read) -> Result<Option<Vec<u8>>, String> {
    let mut length = [0; 4];
    match input.read(&mut length[..1]).map_err(|e| e.to_string())? {
        0 => return Ok(None),
        _ => input.read_exact(&mut length[1..]).map_err(cut_off)?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_RECORD {
        return Err(format!(
            "a record says that it has {length} bytes, more than the {} MiB that are read of one",
            MOST_RECORD >> 20
        ));
    }
    // It grows with what is there, not with what is said.
    let mut bytes = Vec::new();
    input
        .take(length as u64)
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string())?;
    if bytes.len() == length {
        Ok(Some(bytes))
    } else {
        Err("it was cut off".to_owned())
    }
}

fn cut_off(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "it was cut off".to_owned(),
        _ => error.to_string(),
    }
}

fn record(input: &mut impl Read) -> Result<Option<(Head, Vec<u8>)>, String> {
    let Some(head) = part(input)? else {
        return Ok(None);
    };
    let data = part(input)?.ok_or("it was cut off")?;
    Ok(Some((Head::read(&head)?, data)))
}

impl BagReader {
    pub(super) fn new(input: File) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            chunk: Cursor::default(),
            begun: false,
            promised: 0,
            chunks: 0,
            connections: HashMap::new(),
            in_chunk: HashMap::new(),
        }
    }

    /// The next message of a topic that is wanted; the others are counted.
    pub(super) fn next(&mut self, topics: &mut Topics) -> Result<Option<(usize, Vec<u8>)>, String> {
        if !self.begun {
            self.begin()?;
        }
        loop {
            // Records in a chunk come first.
            let (head, data, in_chunk) = match record(&mut self.chunk)? {
                Some((head, data)) => (head, data, true),
                None => match record(&mut self.input)? {
                    Some((head, data)) => (head, data, false),
                    None if self.chunks == self.promised => return Ok(None),
                    None => {
                        return Err(format!(
                            "it says that it has {} chunks, and has {}",
                            self.promised, self.chunks
                        ));
                    }
                },
            };
            match head.op()? {
                2 => {
                    let connection = head.number("conn")?;
                    if in_chunk {
                        *self.in_chunk.entry(connection).or_default() += 1;
                    }
                    let topic = self.connections.get(&connection);
                    let &topic = topic.ok_or("a message belongs to no connection")?;
                    if topics.count(topic, connection, head.time()?) {
                        return Ok(Some((topic, data)));
                    }
                }
                5 if in_chunk => return Err("a chunk stands in a chunk".to_owned()),
                5 => {
                    self.chunks += 1;
                    self.in_chunk.clear();
                    self.chunk = Cursor::new(unpacked(&head, data)?);
                }
                7 => {
                    let about = Head::read(&data)?;
                    let topic = topics.enter(Topic::new(
                        &head.text("topic")?,
                        &about.text("type")?,
                        &about.text("message_definition")?,
                        Ok(Wire::Ros1),
                    ))?;
                    // They are written again at the end of the file.
                    let connection = head.number("conn")?;
                    let before = self.connections.insert(connection, topic);
                    if before.is_some_and(|before| before != topic) {
                        return Err(format!("connection {connection} has two meanings"));
                    }
                }
                4 | 6 if in_chunk => return Err("an index stands in a chunk".to_owned()),
                // The file is read as it stands, but its index says what was there.
                4 => {
                    let (connection, said) = (head.number("conn")?, head.number("count")?);
                    let there = self.in_chunk.get(&connection).copied().unwrap_or(0);
                    if said != there {
                        return Err(format!(
                            "the index of a chunk counts {said} messages of connection {connection}, and there are {there}"
                        ));
                    }
                }
                6 => {}
                other => {
                    return Err(format!(
                        "there is a record of kind {other}, which is not known"
                    ));
                }
            }
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        let mut magic = [0; MAGIC.len()];
        self.input.read_exact(&mut magic).map_err(cut_off)?;
        if magic != MAGIC {
            return Err("it does not begin as a ROS bag of version 2.0 does".to_owned());
        }
        let (head, _) = record(&mut self.input)?.ok_or("it was cut off")?;
        if head.op()? != 3 {
            return Err("its first record is not that of a bag".to_owned());
        }
        if head.get("index_pos")?.iter().all(|&b| b == 0) {
            return Err("it was never closed; `rosbag reindex` mends it".to_owned());
        }
        if head.0.contains_key("encryptor") && !head.get("encryptor")?.is_empty() {
            return Err("it is encrypted".to_owned());
        }
        self.promised = head.number("chunk_count")?;
        self.begun = true;
        Ok(())
    }
}

/// The records of a chunk.
fn unpacked(head: &Head, data: Vec<u8>) -> Result<Vec<u8>, String> {
    let size = u64::from(head.number("size")?);
    if size > MOST_CHUNK {
        return Err(format!(
            "a chunk says that it has {size} bytes, more than the {} MiB that are read of one",
            MOST_CHUNK >> 20
        ));
    }
    let mut bytes = Vec::new();
    let read = match head.text("compression")?.as_str() {
        "none" => {
            bytes = data;
            Ok(0)
        }
        "lz4" => lz4_flex::frame::FrameDecoder::new(&data[..])
            .take(size + 1)
            .read_to_end(&mut bytes),
        "bz2" => bzip2::read::BzDecoder::new(&data[..])
            .take(size + 1)
            .read_to_end(&mut bytes),
        other => {
            return Err(format!(
                "a chunk is compressed by `{other}`, which is not read; `none`, `lz4` and `bz2` are"
            ));
        }
    };
    read.map_err(|e| format!("a chunk is damaged: {e}"))?;
    if bytes.len() as u64 == size {
        Ok(bytes)
    } else {
        Err("a chunk is damaged: it does not have the size that it says".to_owned())
    }
}
