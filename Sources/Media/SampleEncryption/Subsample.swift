/// Some clear bytes of a sample and the protected bytes that follow them: an entry of `senc`
/// (ISO/IEC 23001-7, 7.2).
///
/// | Field | Bits | Meaning |
/// |---|---|---|
/// | BytesOfClearData | 16 | ``clear`` |
/// | BytesOfProtectedData | 32 | ``protected`` |
public struct Subsample: Hashable, Sendable {
    /// How many bytes are clear. In `senc` at most 65,535.
    public var clear: Int
    /// How many bytes after them are protected. Which of these are encrypted is the scheme's choice.
    public var protected: Int

    /// Makes a subsample. Sizes are checked when it is used.
    public init(clear: Int, protected: Int) {
        self.clear = clear
        self.protected = protected
    }

    /// The most clear bytes that an entry of `senc` can hold.
    public static let maximumClear = 65_535

    /// The most bytes that a sample of an MP4 file can have: its size is a 32-bit number. It also bounds how many parts
    /// a clear range can be split into.
    private static let maximumSize = Int(UInt32.max)

    /// The subsamples of a sample of `size` bytes of which `ranges`, counted from the sample's start, are protected.
    ///
    /// The sum of all parts is `size`. Clear parts of more than 65,535 bytes are split, empty ranges left out.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds`` or ``SampleEncryptionError/Code/overlap`` with the range's
    ///   index: ranges must lie within the sample and come in order. Also when `size` is negative or not below 2^32.
    public static func list(
        protecting ranges: some Collection<Range<Int>>,
        ofSize size: Int
    ) throws(SampleEncryptionError) -> [Subsample] {
        guard (0...maximumSize).contains(size) else {
            throw SampleEncryptionError(.outOfBounds, reason: "a sample of \(size) bytes")
        }
        var list: [Subsample] = []
        list.reserveCapacity(ranges.count + 1)
        var end = 0
        for (index, range) in ranges.enumerated() {
            guard range.lowerBound >= 0, range.upperBound <= size else {
                throw SampleEncryptionError(.outOfBounds, index: index, reason: "\(range) of \(size) bytes")
            }
            guard range.lowerBound >= end else {
                throw SampleEncryptionError(.overlap, index: index, reason: "\(range) begins before \(end)")
            }
            guard !range.isEmpty else { continue }
            append(clear: range.lowerBound - end, protected: range.count, to: &list)
            end = range.upperBound
        }
        if end < size { append(clear: size - end, protected: 0, to: &list) }
        return list
    }

    /// The subsamples as cenc wants them for video: each protected part a multiple of 16 bytes, which its clear part
    /// takes the rest of (ISO/IEC 23001-7, 9.5.1). A protected part that vanishes becomes a part of the next clear one.
    ///
    /// - Throws: ``SampleEncryptionError/Code/outOfBounds`` with the subsample's index when a size is negative or the
    ///   sum is not below 2^32.
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
                let reason = "\(subsample.clear) clear and \(subsample.protected) protected bytes"
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
