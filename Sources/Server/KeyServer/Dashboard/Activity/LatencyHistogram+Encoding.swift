// The encoding of a histogram in the store: for each bucket with latencies, its number in one byte and its count in four
// bytes, big-endian. Buckets ascend. Histograms are added up by adding the counts.
extension LatencyHistogram {
    /// The encoding; empty without latencies.
    var encoded: [UInt8] {
        counts.enumerated().filter { $0.element > 0 }.flatMap { index, count in
            [UInt8(truncatingIfNeeded: index)] + withUnsafeBytes(of: count.bigEndian) { Array($0) }
        }
    }

    /// Decodes a histogram; nil if the bytes are malformed.
    init?(encoded: [UInt8]) {
        self.init()
        guard encoded.count.isMultiple(of: 5) else { return nil }
        var last = -1
        for start in stride(from: 0, to: encoded.count, by: 5) {
            let index = Int(encoded[start])
            let count = encoded[(start + 1)..<(start + 5)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard index > last, index < Self.bucketCount, count > 0 else { return nil }
            add(count, toBucket: index)
            last = index
        }
    }
}
