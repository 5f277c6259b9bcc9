/// A subsample: clear bytes of a sample followed by protected bytes, as in an entry of `senc` (ISO/IEC 23001-7, 7.2).
///
/// | Field | Bits | Meaning |
/// |---|---|---|
/// | BytesOfClearData | 16 | ``clear`` |
/// | BytesOfProtectedData | 32 | ``protected`` |
public struct Subsample: Hashable, Sendable {
    /// The number of clear bytes; at most 65,535 in `senc`.
    public var clear: Int
    /// The number of protected bytes that follow. The scheme specifies which of these are encrypted.
    public var protected: Int

    /// Creates a subsample. The sizes are checked when it is used.
    public init(clear: Int, protected: Int) {
        self.clear = clear
        self.protected = protected
    }

    /// The maximum number of clear bytes in an entry of `senc`.
    public static let maximumClear = 65_535

    /// The maximum size of a sample in an MP4 file in bytes, because the size is a 32-bit number. It also limits the
    /// number of parts that a clear range is split into.
    private static let maximumSize = Int(UInt32.max)

    /// Returns the subsamples of a sample of `size` bytes whose `ranges`, relative to the start of the sample, are
    /// protected.
    ///
    /// The sizes of all subsamples add up to `size`. Clear parts of more than 65,535 bytes are split, and empty ranges
    /// are skipped.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds`` if a range is not within the sample, or
    ///   ``SampleEncryptionError/Code/overlap`` if ranges overlap or are not in ascending order, with the index of the
    ///   range; `outOfBounds` without an index if `size` is negative or not below 2^32.
    public static func list(
        protecting ranges: some Collection<Range<Int>>,
        ofSize size: Int
    ) throws(SampleEncryptionError) -> [Subsample] {
        guard (0...maximumSize).contains(size) else {
            throw SampleEncryptionError(.outOfBounds, reason: "the sample has \(size) bytes, must be 0 to 4294967295")
        }
        var list: [Subsample] = []
        list.reserveCapacity(ranges.count + 1)
        var end = 0
        for (index, range) in ranges.enumerated() {
            guard range.lowerBound >= 0, range.upperBound <= size else {
                let reason = "the range \(range) is not within a sample of \(size) bytes"
                throw SampleEncryptionError(.outOfBounds, index: index, reason: reason)
            }
            guard range.lowerBound >= end else {
                let reason = "the range \(range) starts before byte \(end), the end of the previous one"
                throw SampleEncryptionError(.overlap, index: index, reason: reason)
            }
            guard !range.isEmpty else { continue }
            append(clear: range.lowerBound - end, protected: range.count, to: &list)
            end = range.upperBound
        }
        if end < size { append(clear: size - end, protected: 0, to: &list) }
        return list
    }

    /// Returns the subsamples as cenc requires them for video: the size of each protected part is a multiple of 16
    /// bytes, and the remaining bytes are added to its clear part (ISO/IEC 23001-7, 9.5.1). A protected part of fewer
    /// than 16 bytes becomes part of the next clear part.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds`` with the index of the subsample if a size is negative or
    ///   the sum is not below 2^32.
    public static func wholeBlocks(
        _ subsamples: some Collection<Subsample>
    ) throws(SampleEncryptionError) -> [Subsample] {
        var list: [Subsample] = []
        list.reserveCapacity(subsamples.count)
        var (clear, total) = (0, 0)
        let limit = maximumSize
        for (index, subsample) in subsamples.enumerated() {
            guard (0...limit).contains(subsample.clear), (0...limit).contains(subsample.protected),
                subsample.clear <= limit - total, subsample.protected <= limit - total - subsample.clear
            else {
                let reason =
                    "the subsample has \(subsample.clear) clear and \(subsample.protected) protected bytes; "
                    + "sizes must not be negative, and their sum must be below 2^32"
                throw SampleEncryptionError(.outOfBounds, index: index, reason: reason)
            }
            total += subsample.clear + subsample.protected
            clear += subsample.clear + subsample.protected % 16
            guard subsample.protected >= 16 else { continue }
            append(clear: clear, protected: subsample.protected / 16 * 16, to: &list)
            clear = 0
        }
        if clear > 0 { append(clear: clear, protected: 0, to: &list) }
        return list
    }

    private static func append(clear: Int, protected: Int, to list: inout [Subsample]) {
        var clear = clear
        while clear > maximumClear {
            list.append(Subsample(clear: maximumClear, protected: 0))
            clear -= maximumClear
        }
        list.append(Subsample(clear: clear, protected: protected))
    }
}
