/// The bytes of a stream that are scattered over transport packets, and their ranges in the file.
struct ReassembledPayload {
    /// The bytes, in order.
    var bytes: [UInt8] = []
    /// The ranges of the bytes in the file, in order. Their total size is that of ``bytes``.
    private(set) var ranges: [Range<Int>] = []

    /// Appends the bytes in a range of the file.
    mutating func append(_ file: RawSpan, _ range: Range<Int>) {
        file.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
        if !range.isEmpty { ranges.append(range) }
    }

    /// Appends other bytes.
    mutating func append(_ other: ReassembledPayload) {
        bytes += other.bytes
        ranges += other.ranges
    }

    /// Removes the first bytes.
    mutating func removeFirst(_ count: Int) {
        bytes.removeFirst(count)
        var left = count
        var whole = 0
        for (index, range) in ranges.enumerated() {
            guard left > 0 else { break }
            if range.count <= left {
                whole = index + 1
                left -= range.count
            } else {
                ranges[index] = range.lowerBound + left..<range.upperBound
                left = 0
            }
        }
        ranges.removeFirst(whole)
    }

    /// Removes all bytes and keeps the allocated memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
    }

    /// Copies the first `count` bytes back to their ranges in the file.
    func scatter(_ count: Int, to output: inout MutableRawSpan) {
        var start = 0
        for range in ranges where start < count {
            let size = min(range.count, count - start)
            copy(bytes, start..<start + size, to: &output, at: range.lowerBound)
            start += size
        }
    }
}

/// Copies a part of an array to an offset in memory that is large enough.
func copy(_ bytes: [UInt8], _ part: Range<Int>, to output: inout MutableRawSpan, at offset: Int) {
    output.withUnsafeMutableBytes { output in
        UnsafeMutableRawBufferPointer(rebasing: output[offset..<offset + part.count]).copyBytes(from: bytes[part])
    }
}
