//! Compressed streams: gzip, Zstandard, bzip2 and xz, recognised by how they begin, and read in bounded
//! memory.

use std::io::{self, BufReader, Read};

/// Largest memory that an xz stream may ask for: `xz -9` needs 65 MiB. Of Zstandard it is the window of
/// `zstd --long`, 128 MiB, which its decoder checks itself.
const XZ_MEMORY_KIB: u32 = 96 << 10;

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Zstandard,
    Bzip2,
    Xz,
    /// Without a header of its own, as in ZIP archives.
    Deflate,
}

impl Compression {
    /// By how a stream begins, of which the first ten bytes tell; `None` of one that is not compressed.
    pub fn recognised(beginning: &[u8]) -> Option<Self> {
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

    /// What the name of a file says.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        let known =
            [("gz", Self::Gzip), ("zst", Self::Zstandard), ("bz2", Self::Bzip2), ("xz", Self::Xz)];
        known.into_iter().find(|(known, _)| end.eq_ignore_ascii_case(known)).map(|(_, kind)| kind)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Deflate => "Deflate",
        }
    }

    /// What gives the contents of a compressed stream, in bounded memory.
    ///
    /// # Errors
    /// When the stream cannot be read, or does not begin as such.
    pub fn decoder<R: Read>(self, from: R) -> io::Result<Decoder<R>> {
        Ok(Decoder(match self {
            Self::Gzip => Kind::Gzip(flate2::read::MultiGzDecoder::new(from)),
            Self::Deflate => Kind::Deflate(flate2::read::DeflateDecoder::new(from)),
            Self::Bzip2 => Kind::Bzip2(bzip2::read::MultiBzDecoder::new(from)),
            Self::Xz => {
                let reader = lzma_rust2::XzReader::new_mem_limit(from, true, XZ_MEMORY_KIB);
                Kind::Xz(Box::new(reader))
            }
            Self::Zstandard => Kind::Zstandard(Zstandard::new(from)?),
        }))
    }
}

/// Gives the contents of a compressed stream. Streams of one kind may follow one another.
pub struct Decoder<R: Read>(Kind<R>);

enum Kind<R: Read> {
    Gzip(flate2::read::MultiGzDecoder<R>),
    Deflate(flate2::read::DeflateDecoder<R>),
    Bzip2(bzip2::read::MultiBzDecoder<R>),
    Xz(Box<lzma_rust2::XzReader<R>>),
    Zstandard(Zstandard<R>),
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Gzip(decoder) => decoder.read(buffer),
            Kind::Deflate(decoder) => decoder.read(buffer),
            Kind::Bzip2(decoder) => decoder.read(buffer),
            Kind::Xz(decoder) => decoder.read(buffer),
            Kind::Zstandard(decoder) => decoder.read(buffer),
        }
    }
}

/// Frames of Zstandard one after another, as `zstd` appends them.
struct Zstandard<R: Read> {
    frame: Option<Box<Frame<R>>>,
}

type Frame<R> = ruzstd::decoding::StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>;

impl<R: Read> Zstandard<R> {
    fn new(from: R) -> io::Result<Self> {
        Ok(Self { frame: Some(frame(BufReader::new(from))?) })
    }
}

fn frame<R: Read>(from: BufReader<R>) -> io::Result<Box<Frame<R>>> {
    ruzstd::decoding::StreamingDecoder::new(from).map(Box::new).map_err(io::Error::other)
}

impl<R: Read> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let read = frame.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(ended) = self.frame.take() else { break };
            let (mut rest, decoder) = ended.into_parts();
            // Its decoder computes the checksum of a frame, and compares it with nothing.
            let stated = decoder.get_checksum_from_data();
            if stated.is_some() && stated != decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum of its contents is wrong"));
            }
            if !io::BufRead::fill_buf(&mut rest)?.is_empty() {
                self.frame = Some(self::frame(rest)?);
            }
        }
        Ok(0)
    }
}
