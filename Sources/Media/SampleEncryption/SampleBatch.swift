/// Samples of one track that lie in one buffer, or go from one into another, and are encrypted or decrypted together:
/// where they are, their subsamples, and their IVs where these are not constant. Best a whole segment.
///
/// It is one list for all samples, so that nothing is allocated for each of them; reuse it after
/// ``removeAll()``.
public struct SampleBatch: Sendable {
    struct Entry: Sendable {
        var offset: Int
        var source: Int
        var size: Int
        /// Its subsamples in the common list; nil when the whole sample is protected.
        var subsamples: Range<Int>?
        var iv: CipherIV?
    }

    private(set) var entries: [Entry] = []
    @usableFromInline var subsamples: [Subsample] = []

    /// Makes an empty batch.
    public init() {}

    /// How many samples it holds.
    public var count: Int { entries.count }

    /// True when it holds no samples.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a sample that is protected as a whole.
    ///
    /// - Parameters:
    ///   - offset: the sample's first byte in the buffer, or in the output. Samples must be added in the order of
    ///     these.
    ///   - source: its first byte in the input, for ``SampleCipher/process(_:from:to:)``; nil: `offset`.
    ///   - size: its size in bytes.
    ///   - iv: its own IV; nil for the cipher's constant one.
    public mutating func append(offset: Int, source: Int? = nil, size: Int, iv: CipherIV? = nil) {
        entries.append(Entry(offset: offset, source: source ?? offset, size: size, subsamples: nil, iv: iv))
    }

    /// Adds a sample with subsamples, the first of which begins at the sample's start. What follows the last one stays
    /// clear; without any, the whole sample does.
    ///
    /// Parameters are those of ``append(offset:source:size:iv:)``. Nothing is checked before the batch is used.
    @inlinable
    public mutating func append(
        offset: Int,
        source: Int? = nil,
        size: Int,
        subsamples list: some Collection<Subsample>,
        iv: CipherIV? = nil
    ) {
        let start = subsamples.count
        subsamples.append(contentsOf: list)
        append(offset: offset, source: source ?? offset, size: size, subsamplesFrom: start, iv: iv)
    }

    /// Adds a sample whose subsamples are the last ones of the list, from one on.
    @usableFromInline
    mutating func append(offset: Int, source: Int, size: Int, subsamplesFrom start: Int, iv: CipherIV?) {
        let list = start..<subsamples.count
        entries.append(Entry(offset: offset, source: source, size: size, subsamples: list, iv: iv))
    }

    /// Removes all samples and keeps the memory.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        subsamples.removeAll(keepingCapacity: true)
    }
}
