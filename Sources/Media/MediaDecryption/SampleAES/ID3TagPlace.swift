package import ByteCoding
package import MediaFormats

/// An ID3 tag before packed audio, and where it lies.
package struct ID3TagPlace: Sendable {
    private static let headerSize = 10
    /// Where it lies, its header included.
    package let range: Range<Int>
    /// What is in it.
    package let tag: ID3Tag

    /// Reads the tag that begins at `offset`; nil when none does.
    ///
    /// - Throws: `ParseError`, with offsets in the file.
    package init?(_ file: RawSpan, at offset: Int) throws(ParseError) {
        guard Self.begins(file, offset) else { return nil }
        var reader = ByteReader(file.extracting(offset..<file.byteCount), base: offset)
        tag = try ID3Tag(reading: &reader)
        range = offset..<reader.offset
    }

    /// Whether the header of a tag begins at `offset`. A frame of audio never begins like that.
    package static func begins(_ file: RawSpan, _ offset: Int) -> Bool {
        guard file.byteCount - offset >= headerSize else { return false }
        return UInt32(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)) >> 8 == 0x49_4433
    }

    /// Takes the set-up of encrypted audio out of the tag, which keeps its size.
    package func clear(in output: inout MutableRawSpan) {
        let owner = Array((ID3Tag.audioDescriptionOwner + "\0").utf8)
        var clear = tag
        clear.frames.removeAll { $0.id == "PRIV" && $0.content.starts(with: owner) }
        guard clear.frames.count < tag.frames.count else { return }
        var bytes = clear.bytes
        guard bytes.count <= range.count else { return }
        // What is left is padding, and counts for the size of the tag, in which a byte has 7 bits.
        let size = range.count - Self.headerSize
        for index in 0..<4 { bytes[6 + index] = UInt8(size >> (7 * (3 - index)) & 127) }
        bytes += repeatElement(0, count: range.count - bytes.count)
        copy(bytes, bytes.indices, to: &output, at: range.lowerBound)
    }
}
