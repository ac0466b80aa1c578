//! Compressed streams.

use std::io::{self, BufReader, Read};

/// Largest memory that an xz stream may ask for: `xz -9` needs 65 MiB. Of Zstandard it is the window of
/// `zstd --long`, 128 MiB, which its decoder checks itself.
const XZ_MEMORY_KIB: u32 = 96 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstandard,
    Bzip2,
    Xz,
    /// Without a header of its own, as in ZIP archives.
    Deflate,
}

impl Compression {
    pub(super) fn recognised(beginning: &[u8]) -> Option<Self> {
        let magic: [(&[u8], Self); 4] = [
            (b"\x1f\x8b\x08", Self::Gzip),
            (b"\x28\xb5\x2f\xfd", Self::Zstandard),
            (b"BZh", Self::Bzip2),
            (b"\xfd7zXZ\x00", Self::Xz),
        ];
        let known = magic.into_iter().find(|(magic, _)| beginning.starts_with(magic));
        known.map(|(_, kind)| kind).filter(|kind| {
            // A text may begin with BZh as well; a block begins with the digits of π.
            let block = beginning.get(4..10);
            *kind != Self::Bzip2
                || block == Some(b"\x31\x41\x59\x26\x53\x59")
                || block == Some(b"\x17\x72\x45\x38\x50\x90")
        })
    }

    pub(super) fn decoder<'a>(self, from: Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(from)),
            Self::Deflate => Box::new(flate2::read::DeflateDecoder::new(from)),
            Self::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(from)),
            Self::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(from, true, XZ_MEMORY_KIB)),
            Self::Zstandard => Box::new(Zstandard::new(from)?),
        })
    }
}

/// Frames of Zstandard one after another, as `zstd` appends them.
struct Zstandard<'a> {
    frame: Option<Frame<'a>>,
}

type Source<'a> = BufReader<Box<dyn Read + 'a>>;
type Frame<'a> = ruzstd::decoding::StreamingDecoder<Source<'a>, ruzstd::decoding::FrameDecoder>;

impl<'a> Zstandard<'a> {
    fn new(from: Box<dyn Read + 'a>) -> io::Result<Self> {
        Ok(Self { frame: Some(frame(BufReader::new(from))?) })
    }
}

fn frame(from: Source<'_>) -> io::Result<Frame<'_>> {
    ruzstd::decoding::StreamingDecoder::new(from).map_err(io::Error::other)
}

impl Read for Zstandard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let read = frame.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(ended) = self.frame.take() else { break };
            let mut rest = ended.into_inner();
            if !io::BufRead::fill_buf(&mut rest)?.is_empty() {
                self.frame = Some(self::frame(rest)?);
            }
        }
        Ok(0)
    }
}
