/// A batch of samples of one track that are encrypted or decrypted together, in place or from one buffer to another:
/// their offsets, sizes and subsamples, and their IVs unless the IV is constant. A whole segment per batch is fastest.
///
/// All samples share one list, so that no memory is allocated per sample. Reuse a batch after ``removeAll()``.
public struct SampleBatch: Sendable {
    struct Entry: Sendable {
        var offset: Int
        var source: Int
        var size: Int
        /// The sample's subsamples, as a range of the batch's list; nil if the whole sample is protected.
        var subsamples: Range<Int>?
        var iv: CipherIV?
    }

    private(set) var entries: [Entry] = []
    @usableFromInline var subsamples: [Subsample] = []

    /// Creates an empty batch.
    public init() {}

    /// The number of samples in the batch.
    public var count: Int { entries.count }

    /// True if the batch contains no samples.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a sample that is protected as a whole.
    ///
    /// - Parameters:
    ///   - offset: the offset of the sample's first byte in the buffer or output, in bytes. Add samples in ascending
    ///     order of this offset.
    ///   - source: the offset of the sample's first byte in the input, for ``SampleCipher/process(_:from:to:)``. If
    ///     nil, it equals `offset`.
    ///   - size: the size of the sample in bytes.
    ///   - iv: the sample's IV; nil means the cipher's constant IV.
    public mutating func append(offset: Int, source: Int? = nil, size: Int, iv: CipherIV? = nil) {
        entries.append(Entry(offset: offset, source: source ?? offset, size: size, subsamples: nil, iv: iv))
    }

    /// Adds a sample with subsamples. The first subsample begins at the start of the sample. Bytes after the last
    /// subsample stay clear; if the list is empty, the whole sample stays clear.
    ///
    /// The parameters are those of ``append(offset:source:size:iv:)``. They are checked when the batch is used.
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

    /// Adds a sample whose subsamples are those of the batch's list from `start` to the end.
    @usableFromInline
    mutating func append(offset: Int, source: Int, size: Int, subsamplesFrom start: Int, iv: CipherIV?) {
        let list = start..<subsamples.count
        entries.append(Entry(offset: offset, source: source, size: size, subsamples: list, iv: iv))
    }

    /// Removes all samples and keeps the allocated memory.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        subsamples.removeAll(keepingCapacity: true)
    }
}
