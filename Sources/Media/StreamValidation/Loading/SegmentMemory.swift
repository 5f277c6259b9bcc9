import HLSPlaylist

/// Limits the number of bytes of segments that are in memory at the same time. Segments whose size is not known before
/// they are loaded are counted by an estimate.
actor SegmentMemory {
    private let limit: Int
    private var free: Int
    /// The number of segments that wait, for tests.
    var waitingCount: Int { waiting.count }
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(limit: Int) { (self.limit, free) = (limit, limit) }

    /// Waits until this number of bytes is free, and takes it. A number above the limit is the limit, so that a segment
    /// that is larger is loaded alone.
    ///
    /// - Returns: The number of bytes to give back.
    func take(_ count: Int) async -> Int {
        let count = min(max(count, 0), limit)
        if waiting.isEmpty, count <= free {
            free -= count
        } else {
            await withCheckedContinuation { waiting.append((count, $0)) }
        }
        return count
    }

    /// Gives bytes back.
    func giveBack(_ count: Int) {
        free += count
        while let next = waiting.first, next.count <= free {
            free -= next.count
            waiting.removeFirst()
            next.continuation.resume()
        }
    }
}

/// An estimate of the sizes of the segments of a Media Playlist.
struct SegmentSize {
    /// The size of the largest segment so far, in bytes.
    var largest = 0
    private let bandwidth: Double

    init(_ rendition: MeasuredRendition) {
        bandwidth = Double(rendition.roles.variants.map(\.variant.streamInf.bandwidth).max() ?? 0)
    }

    /// Returns the larger of what BANDWIDTH and earlier segments tell, or the size of the byte range.
    func estimate(_ segment: MeasuredSegment) -> Int {
        if let range = segment.byteRange { return Int(clamping: range.upperBound - range.lowerBound) }
        let declared = bandwidth / 8 * max(0, segment.duration)
        return max(largest, declared < 1e9 ? Int(declared) : 1_000_000_000)
    }
}
