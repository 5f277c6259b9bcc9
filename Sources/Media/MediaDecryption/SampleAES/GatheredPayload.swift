/// The bytes of a stream that are scattered over transport packets, and their ranges in the file.
struct GatheredPayload {
    /// The bytes, in order.
    var bytes: [UInt8] = []
    /// The ranges of the bytes in the file, in order. Their total size is that of ``bytes``.
    private(set) var places: [Range<Int>] = []

    /// Appends the bytes in a range of the file.
    mutating func append(_ file: RawSpan, _ place: Range<Int>) {
        file.extracting(place).withUnsafeBytes { bytes.append(contentsOf: $0) }
        if !place.isEmpty { places.append(place) }
    }

    /// Appends other bytes.
    mutating func append(_ other: GatheredPayload) {
        bytes += other.bytes
        places += other.places
    }

    /// Removes the first bytes.
    mutating func removeFirst(_ count: Int) {
        bytes.removeFirst(count)
        var left = count
        var whole = 0
        for (index, place) in places.enumerated() {
            guard left > 0 else { break }
            if place.count <= left {
                whole = index + 1
                left -= place.count
            } else {
                places[index] = place.lowerBound + left..<place.upperBound
                left = 0
            }
        }
        places.removeFirst(whole)
    }

    /// Removes all bytes and keeps the allocated memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Copies the first `count` bytes back to their ranges in the file.
    func scatter(_ count: Int, to output: inout MutableRawSpan) {
        var start = 0
        for place in places where start < count {
            let size = min(place.count, count - start)
            copy(bytes, start..<start + size, to: &output, at: place.lowerBound)
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
