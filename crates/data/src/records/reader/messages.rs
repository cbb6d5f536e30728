//! The messages of an Arrow file with a footer, or of an Arrow stream.
//!
//! The library's own readers allocate as much memory as the file announces, which a damaged file may do without
//! limit, and take a stream that breaks off between two messages for a whole one. So messages are located here, and
//! the size that each announces is checked before the library decodes it.

use super::columnar::{guarded, open, unreadable};
use super::lz4;
use arrow_array::RecordBatch;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{
    Block, CompressionType, Message, MessageHeader, MetadataVersion, RecordBatch as Batch,
    root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Excess, Part};

const MAGIC: &[u8; 6] = b"ARROW1";
/// Bytes at the end of a file: the length of the footer, and the magic.
const TAIL: u64 = 10;
/// The marker before the length of a message; older writers leave it out.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The batches of an Arrow file or stream.
pub(crate) struct Batches {
    file: BufReader<File>,
    length: u64,
    schema: SchemaRef,
    decoder: FileDecoder,
    order: MessageOrder,
}

enum MessageOrder {
    /// The messages that the footer names.
    Footer(std::vec::IntoIter<Block>),
    /// The message at this byte and those after it, up to the end marker.
    Stream(u64),
    /// No more messages.
    Ended,
}

impl Batches {
    /// Opens a file.
    ///
    /// # Errors
    /// If it is missing, or neither an Arrow file nor an Arrow stream.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (file, length) = open(path)?;
        let mut file = BufReader::new(file);
        let start = file.fill_buf().map_err(Error::reading(path))?;
        if start.starts_with(b"FEA1") {
            return Err(Error::input(path, "Feather version 1, expected Arrow")
                .with_hint("write it again as Feather version 2, which is Arrow"));
        }
        let has_footer = start.starts_with(MAGIC);
        guarded(|| match has_footer {
            true => Self::with_footer(file, length),
            false => Self::stream(file, length),
        })
        .map_err(|error| unreadable(path, "Arrow", &error))
    }

    fn with_footer(mut file: BufReader<File>, length: u64) -> Result<Self, ArrowError> {
        let start = length.checked_sub(TAIL).ok_or_else(cut_off)?;
        let tail = bytes(&mut file, start, TAIL, length)?;
        let (size, magic) = tail.split_at(4);
        if magic != MAGIC {
            return Err(cut_off());
        }
        let size = size.try_into().map(i32::from_le_bytes).ok();
        let size = size.and_then(|size| u64::try_from(size).ok());
        let start = size.and_then(|size| Some((size, start.checked_sub(size)?)));
        let (size, start) = start.ok_or_else(|| wrong("the length of its footer"))?;
        Part::Batch.holds(size).map_err(too_much)?;
        let footer = bytes(&mut file, start, size, length)?;
        let footer = root_as_footer(&footer).map_err(|_| wrong("its footer"))?;
        let schema = footer.schema().ok_or_else(|| wrong("its schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(wrong(
                "its byte order, which is another than this machine's,",
            ));
        }
        let schema = Arc::new(fb_to_schema(schema));
        let mut batches = Self {
            file,
            length,
            decoder: FileDecoder::new(Arc::clone(&schema), footer.version()),
            schema,
            order: MessageOrder::Ended,
        };
        let dictionaries = footer.dictionaries().into_iter().flatten().copied();
        let messages = footer.recordBatches().into_iter().flatten().copied();
        let (dictionaries, messages): (Vec<_>, Vec<_>) =
            (dictionaries.collect(), messages.collect());
        all_within(dictionaries.iter().chain(&messages), length)?;
        for block in &dictionaries {
            batches.decode(block)?;
        }
        batches.order = MessageOrder::Footer(messages.into_iter());
        Ok(batches)
    }

    fn stream(mut file: BufReader<File>, length: u64) -> Result<Self, ArrowError> {
        let block = next_block(&mut file, 0, length)?.ok_or_else(|| wrong("its schema"))?;
        let head = bytes(&mut file, 0, block.metaDataLength() as u64, length)?;
        let schema = message(&head)?.header_as_schema();
        let schema = Arc::new(fb_to_schema(schema.ok_or_else(|| wrong("its schema"))?));
        Ok(Self {
            file,
            length,
            // V1 is the version that the decoder does not compare, so that messages may be of any.
            decoder: FileDecoder::new(Arc::clone(&schema), MetadataVersion::V1),
            schema,
            order: MessageOrder::Stream(end(&block)),
        })
    }

    /// The columns of the batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let block = match &mut self.order {
                MessageOrder::Footer(blocks) => blocks.next(),
                MessageOrder::Stream(at) => {
                    let block = next_block(&mut self.file, *at, self.length)?;
                    if let Some(block) = &block {
                        *at = end(block);
                    }
                    block
                }
                MessageOrder::Ended => None,
            };
            let Some(block) = block else {
                self.order = MessageOrder::Ended;
                return Ok(None);
            };
            if let Some(batch) = self.decode(&block)? {
                return Ok(Some(batch));
            }
        }
    }

    /// Decodes the batch of a message; `None` for a dictionary, which is kept.
    fn decode(&mut self, block: &Block) -> Result<Option<RecordBatch>, ArrowError> {
        let (start, size) = (block.offset() as u64, end(block) - block.offset() as u64);
        let all = bytes(&mut self.file, start, size, self.length)?;
        let (head, body) = all.split_at(block.metaDataLength() as usize);
        let message = message(head)?;
        let (dictionary, batch) = match message.header_type() {
            MessageHeader::RecordBatch => (false, message.header_as_record_batch()),
            MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch();
                (true, dictionary.and_then(|dictionary| dictionary.data()))
            }
            _ => return Err(wrong("one of its messages")),
        };
        check(
            &batch.ok_or_else(|| wrong("one of its messages"))?,
            body,
            self.length,
        )?;
        let all = all.into();
        match dictionary {
            true => self.decoder.read_dictionary(block, &all).map(|()| None),
            false => self.decoder.read_record_batch(block, &all),
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = guarded(|| self.advance());
        if batch.is_err() {
            self.order = MessageOrder::Ended;
        }
        batch.transpose()
    }
}

/// Reads some bytes of the file, which must be there.
fn bytes(
    file: &mut BufReader<File>,
    start: u64,
    size: u64,
    length: u64,
) -> Result<Vec<u8>, ArrowError> {
    if start.checked_add(size).is_none_or(|end| end > length) {
        return Err(cut_off());
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.seek(SeekFrom::Start(start))?;
    file.take(size).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == size {
        true => Ok(bytes),
        false => Err(cut_off()),
    }
}

/// Finds the message of a stream that begins at a byte; `None` at the end marker, after which there must be nothing.
fn next_block(
    file: &mut BufReader<File>,
    at: u64,
    length: u64,
) -> Result<Option<Block>, ArrowError> {
    if at >= length {
        return Err(cut_off());
    }
    let mut prefix = 4;
    let mut size = bytes(file, at, 4, length)?;
    if size == CONTINUATION {
        prefix = 8;
        size = bytes(file, at + 4, 4, length)?;
    }
    let size = size.try_into().map_or(-1, i32::from_le_bytes);
    let size = u64::try_from(size).map_err(|_| wrong("the length of a message"))?;
    if size == 0 {
        return match at + prefix == length {
            true => Ok(None),
            false => Err(wrong("what follows its end")),
        };
    }
    let head = bytes(file, at, prefix + size, length)?;
    let body = message(&head)?.bodyLength();
    let block = Block::new(at as i64, (prefix + size) as i32, body);
    all_within([&block], length)?;
    Ok(Some(block))
}

/// Parses the header of a message, which follows its length.
fn message(head: &[u8]) -> Result<Message<'_>, ArrowError> {
    let prefix = match head.starts_with(&CONTINUATION) {
        true => 8,
        false => 4,
    };
    head.get(prefix..)
        .and_then(|head| root_as_message(head).ok())
        .ok_or_else(|| wrong("one of its messages"))
}

/// Returns the byte after a message that is known to lie in the file.
fn end(block: &Block) -> u64 {
    block.offset() as u64 + block.metaDataLength() as u64 + block.bodyLength() as u64
}

/// Checks that messages lie in the file and do not overlap.
fn all_within<'a>(
    blocks: impl IntoIterator<Item = &'a Block>,
    length: u64,
) -> Result<(), ArrowError> {
    let mut left = length;
    for block in blocks {
        let numbers = [
            block.offset(),
            i64::from(block.metaDataLength()),
            block.bodyLength(),
        ];
        let within = numbers
            .iter()
            .all(|number| (0..=length as i64).contains(number))
            && end(block) <= length
            && block.metaDataLength() > 0;
        let size = (numbers[1] + numbers[2].min(length as i64)) as u64;
        left = match within {
            true => left
                .checked_sub(size)
                .ok_or_else(|| wrong("the list of its messages"))?,
            false => return Err(cut_off()),
        };
    }
    Ok(())
}

/// Checks the sizes that a batch announces against those of its body and the memory limit.
fn check(batch: &Batch<'_>, body: &[u8], length: u64) -> Result<(), ArrowError> {
    let codec = batch.compression().map(|compression| compression.codec());
    let mut decoded = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let size = usize::try_from(buffer.length()).ok();
        let end = start
            .zip(size)
            .and_then(|(start, size)| start.checked_add(size));
        let bytes = start.zip(end).and_then(|(start, end)| body.get(start..end));
        let bytes = bytes.ok_or_else(|| wrong("the place of a column"))?;
        let size = match codec {
            Some(codec) if !bytes.is_empty() => announced(bytes, codec)?,
            _ => bytes.len() as u64,
        };
        decoded = decoded.saturating_add(size);
    }
    if decoded > length {
        Part::Batch.holds(decoded).map_err(too_much)?;
    }
    // A column takes at least a bit a row, unless all its rows are null.
    let most = decoded
        .saturating_mul(8)
        .saturating_add(Part::Columns.most());
    let possible = |rows: i64| u64::try_from(rows).is_ok_and(|rows| rows <= most);
    let nodes = batch.nodes().into_iter().flatten();
    let mut nodes = nodes.map(|node| possible(node.length()) && possible(node.null_count()));
    match possible(batch.length()) && nodes.all(|possible| possible) {
        true => Ok(()),
        false => Err(wrong("the number of its rows")),
    }
}

/// Returns the most bytes that a compressed buffer decodes to.
fn announced(bytes: &[u8], codec: CompressionType) -> Result<u64, ArrowError> {
    let (size, compressed) = bytes
        .split_first_chunk()
        .ok_or_else(|| wrong("a compressed column"))?;
    match (i64::from_le_bytes(*size), codec) {
        (-1, _) => Ok(compressed.len() as u64),
        (..0, _) => Err(wrong("a compressed column")),
        (0, _) => Ok(0),
        (size, CompressionType::LZ4_FRAME) => {
            let most = lz4::most(compressed).ok_or_else(|| wrong("a compressed column"))?;
            Ok(most.max(size as u64))
        }
        (size, _) => Ok(size as u64),
    }
}

fn cut_off() -> ArrowError {
    ArrowError::ParseError("it ends before its end marker".to_string())
}

fn wrong(what: &str) -> ArrowError {
    ArrowError::ParseError(format!("{what} cannot be right"))
}

fn too_much(excess: Excess) -> ArrowError {
    ArrowError::ExternalError(Box::new(excess))
}
