package import ByteCoding
package import MediaFormats

/// An ID3 tag before packed audio, with its range in the file.
package struct LocatedID3Tag: Sendable {
    private static let headerSize = 10
    /// The range of the tag in the file, including its header.
    package let range: Range<Int>
    /// The content of the tag.
    package let tag: ID3Tag

    /// Reads the tag that begins at `offset`. Returns nil if no tag begins there.
    ///
    /// - Throws: `ParseError`, with offsets in the file.
    package init?(_ file: RawSpan, at offset: Int) throws(ParseError) {
        guard Self.begins(file, offset) else { return nil }
        var reader = ByteReader(file.extracting(offset..<file.byteCount), base: offset)
        tag = try ID3Tag(reading: &reader)
        range = offset..<reader.offset
    }

    /// Returns whether the header of a tag begins at `offset`. An audio frame never begins with these bytes.
    package static func begins(_ file: RawSpan, _ offset: Int) -> Bool {
        guard file.byteCount - offset >= headerSize else { return false }
        return UInt32(bigEndian: file.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)) >> 8 == 0x49_4433
    }

    /// Removes the audio setup information of encrypted audio from the tag. The size of the tag does not change.
    package func clear(in output: inout MutableRawSpan) {
        let owner = Array((ID3Tag.audioDescriptionOwner + "\0").utf8)
        var clear = tag
        clear.frames.removeAll { $0.id == "PRIV" && $0.content.starts(with: owner) }
        guard clear.frames.count < tag.frames.count else { return }
        var bytes = clear.bytes
        guard bytes.count <= range.count else { return }
        // The remaining bytes become padding, which is included in the size field of the tag (7 bits per byte).
        let size = range.count - Self.headerSize
        for index in 0..<4 { bytes[6 + index] = UInt8(size >> (7 * (3 - index)) & 127) }
        bytes += repeatElement(0, count: range.count - bytes.count)
        copy(bytes, bytes.indices, to: &output, at: range.lowerBound)
    }
}
