/// The bytes of a stream that lie scattered over packets, and where each of them lies.
struct GatheredPayload {
    /// The bytes, in order.
    var bytes: [UInt8] = []
    /// Where they lie in the file, in order; together as many as ``bytes``.
    private(set) var places: [Range<Int>] = []

    /// Adds what lies at a place of the file.
    mutating func append(_ file: RawSpan, _ place: Range<Int>) {
        file.extracting(place).withUnsafeBytes { bytes.append(contentsOf: $0) }
        if !place.isEmpty { places.append(place) }
    }

    /// Adds other bytes behind these.
    mutating func append(_ other: GatheredPayload) {
        bytes += other.bytes
        places += other.places
    }

    /// Forgets the first bytes.
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

    /// Forgets everything, but keeps the room.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Puts the first bytes back where they came from.
    func scatter(_ count: Int, to output: inout MutableRawSpan) {
        var start = 0
        for place in places where start < count {
            let size = min(place.count, count - start)
            copy(bytes, start..<start + size, to: &output, at: place.lowerBound)
            start += size
        }
    }
}

/// Copies a part of an array into memory that has room for it.
func copy(_ bytes: [UInt8], _ part: Range<Int>, to output: inout MutableRawSpan, at offset: Int) {
    output.withUnsafeMutableBytes { output in
        UnsafeMutableRawBufferPointer(rebasing: output[offset..<offset + part.count]).copyBytes(from: bytes[part])
    }
}
