package import NIOCore

/// The bytes of a segment, part or Media Initialization Section in memory. A segment grows by whole parts until it is
/// complete.
package struct MediaFile: Sendable {
    /// The bytes, in order. A new chunk begins with each read, so that a waiting request continues where it stopped.
    private(set) var chunks: [ByteBuffer] = []
    /// The number of bytes in memory: all bytes of parts that a playlist lists.
    package private(set) var count = 0
    /// True if no more bytes will be added.
    package private(set) var isComplete = false
    /// The strong entity tag of the complete file, with its quotation marks; nil while it grows.
    package private(set) var entityTag: String?

    /// Creates an empty file.
    package init() {}

    /// Appends bytes.
    package mutating func append(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        chunks.append(bytes)
        count += bytes.readableBytes
    }

    /// Marks the file as complete.
    package mutating func complete(entityTag: String) {
        isComplete = true
        self.entityTag = entityTag
    }

    /// Returns the bytes of a range, which must be within the file, without copying them.
    package func bytes(_ range: Range<Int>) -> [ByteBuffer] {
        var result: [ByteBuffer] = []
        var start = 0
        for chunk in chunks {
            let end = start + chunk.readableBytes
            let (lower, upper) = (max(range.lowerBound, start), min(range.upperBound, end))
            if lower < upper,
                let slice = chunk.getSlice(at: chunk.readerIndex + lower - start, length: upper - lower)
            {
                result.append(slice)
            }
            start = end
        }
        return result
    }
}
