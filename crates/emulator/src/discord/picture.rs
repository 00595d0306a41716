//! Pictures in the two forms that people's pictures travel in.

/// Squares along an edge; the outer ones are the margin.
const SQUARES: u32 = 8;

/// A square of `side` pixels as PNG: a palette of two colours, and a pattern in the second one. Its left half follows from
/// the bits of `pattern`, and the right one mirrors it.
pub fn png(side: u32, [red, green, blue]: [u8; 3], pattern: u32) -> Vec<u8> {
    let is_drawn = |x: u32, y: u32| {
        let (x, y) = (x * SQUARES / side, y * SQUARES / side);
        let (column, inner) = (x.min(SQUARES - 1 - x), 1..SQUARES - 1);
        inner.contains(&x) && inner.contains(&y) && pattern >> ((column - 1) * 6 + y - 1) & 1 == 1
    };
    let mut pixels = Vec::new();
    for y in 0..side {
        pixels.push(0);
        for x in (0..side).step_by(8) {
            pixels.push((x..x + 8).fold(0, |byte, x| byte << 1 | u8::from(x < side && is_drawn(x, y))));
        }
    }
    let mut header = [side.to_be_bytes(), side.to_be_bytes()].concat();
    // One bit a pixel, a palette, and nothing unusual.
    header.extend([1, 3, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [
        (b"IHDR", header),
        (b"PLTE", vec![red, green, blue, 255, 255, 255]),
        (b"IDAT", stored(&pixels)),
        (b"IEND", Vec::new()),
    ] {
        let length = u32::try_from(data.len()).unwrap_or_default();
        file.extend(length.to_be_bytes());
        let named = [name.as_slice(), &data].concat();
        file.extend(&named);
        file.extend(crc32(&named).to_be_bytes());
    }
    file
}

/// The same as lossless WebP, but of one colour. Each channel has a code of a single value, so that the pixels themselves take no bits.
pub fn webp(side: u32, [red, green, blue]: [u8; 3]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0x2F, 8);
    bits.push(side - 1, 14);
    bits.push(side - 1, 14);
    // No alpha, version 0; no transforms, no cache of colours, one group of codes.
    bits.push(0, 1 + 3);
    bits.push(0, 3);
    for value in [green, red, blue, 255] {
        // A simple code of one value that takes eight bits.
        bits.push(0b101, 3);
        bits.push(u32::from(value), 8);
    }
    // Distances do not occur.
    bits.push(0b001, 4);
    let mut data = bits.bytes;
    let length = u32::try_from(data.len()).unwrap_or_default();
    if data.len() % 2 == 1 {
        data.push(0);
    }
    let whole = u32::try_from(data.len()).unwrap_or_default() + 12;
    [
        b"RIFF".as_slice(),
        &whole.to_le_bytes(),
        b"WEBPVP8L",
        &length.to_le_bytes(),
        &data,
    ]
    .concat()
}

/// Bits in the order of WebP: the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, value: u32, bits: usize) {
        for bit in 0..bits {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> bit & 1 == 1) << (self.count % 8);
            }
            self.count += 1;
        }
    }
}

/// A zlib stream that packs nothing.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap_or_default();
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in data {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}

fn crc32(data: &[u8]) -> u32 {
    let step = |crc: u32| crc >> 1 ^ (0xEDB8_8320 * (crc & 1));
    !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(stored(b"Wikipedia")[..5], [0x78, 0x01, 1, 9, 0]);
        assert_eq!(stored(b"Wikipedia")[16..], 0x11E6_0398_u32.to_be_bytes());
    }

    #[test]
    fn a_pattern_is_the_same_from_both_sides_and_stays_off_the_edges() {
        let plain = png(16, [1, 2, 3], 0);
        let drawn = png(16, [1, 2, 3], 0b11_1111);
        let rows = |file: &[u8]| -> Vec<[u8; 2]> {
            let begin = file.windows(4).position(|four| four == b"IDAT").unwrap() + 4 + 7;
            file[begin..begin + 16 * 3]
                .chunks(3)
                .map(|row| [row[1], row[2]])
                .collect()
        };
        assert_eq!(rows(&plain), [[0, 0]; 16]);
        let mut wanted = [[0b0011_0000, 0b0000_1100]; 16];
        for edge in [0, 1, 14, 15] {
            wanted[edge] = [0, 0];
        }
        assert_eq!(rows(&drawn), wanted);
    }

    #[test]
    fn a_large_picture_takes_several_blocks() {
        let blocks = stored(&vec![0; 70_000]);
        assert_eq!((blocks[2], blocks.len()), (0, 2 + 2 * 5 + 70_000 + 4));
    }
}
