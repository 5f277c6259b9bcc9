internal import ByteCoding
internal import FPSCrypto
import TextCoding

/// The position of a block in the decrypted payload of a CKC (Table 2-2).
struct CKCBlock {
    let tag: UInt64
    let whole: Range<Int>
    let value: Range<Int>

    /// The name of the block, with its tag in hexadecimal.
    var name: String { CKCTag.name(tag) }

    /// Returns the blocks of a payload, including those with duplicate tags. If a block is damaged, returns those
    /// before it, and the error.
    // 0-7 tag | 8-11 block length | 12-15 value length | 16-k value | padding
    static func all(in payload: SecretBytes) -> (blocks: [CKCBlock], error: ParseError?) {
        payload.withUnsafeBytes { buffer in
            var blocks: [CKCBlock] = []
            var reader = ByteReader(buffer.bytes)
            do throws(ParseError) {
                while reader.remaining > 0 { blocks.append(try CKCBlock(reading: &reader)) }
                return (blocks, nil)
            } catch {
                return (blocks, error)
            }
        }
    }

    private init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let tag = try reader.readUInt64("tag")
        let blockLength = Int(try reader.readUInt32("block length of \(CKCTag.name(tag))"))
        let valueLength = Int(try reader.readUInt32("value length of \(CKCTag.name(tag))"))
        guard blockLength.isMultiple(of: 16) else {
            throw ParseError(
                .lengthNotMultipleOf16,
                reading: "block length of \(CKCTag.name(tag))",
                offset: start + 8,
                reason: "\(blockLength)"
            )
        }
        guard valueLength <= blockLength else {
            throw ParseError(
                .valueLongerThanBlock,
                reading: "value length of \(CKCTag.name(tag))",
                offset: start + 12,
                reason: "value \(valueLength), block \(blockLength)"
            )
        }
        let valueStart = reader.offset
        try reader.skip(blockLength, "value and padding of \(CKCTag.name(tag))")
        self.tag = tag
        whole = start..<reader.offset
        value = valueStart..<valueStart + valueLength
    }
}

extension ParseError.Code {
    /// The version of the CKC is not 1.
    static let unsupportedVersion = Self(rawValue: "unsupported-version")
    /// A length that must be a multiple of 16 is not.
    static let lengthNotMultipleOf16 = Self(rawValue: "length-not-multiple-of-16")
    /// The value length of a block exceeds its block length.
    static let valueLongerThanBlock = Self(rawValue: "value-longer-than-block")
    /// A restriction has a version that the device does not support, and must not be ignored.
    static let unsupportedBlockVersion = Self(rawValue: "unsupported-block-version")
}

/// Returns a tag or another number in hexadecimal, with the prefix 0x.
func hexadecimal(_ number: some FixedWidthInteger & UnsignedInteger) -> String { "0x" + Hexadecimal.encode(number) }
