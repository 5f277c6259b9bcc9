/// A sample on its way through the pipeline: when it is, and where its bytes lie.
package struct MediaSample: Sendable {
    /// Where its bytes lie: in a mapped input, or in what a demuxer gathered.
    package var bytes: any SampleBytes
    /// Its first byte in ``bytes``.
    package var offset: Int
    /// Its size in bytes.
    package var size: Int
    /// When it is decoded, in the timescale of its track, before ``MediaTrack/timing`` is applied. A track's first
    /// sample need not be at 0, but is never before it.
    package var decodeTime: Int64
    /// How long it lasts, in the timescale of its track.
    package var duration: UInt32
    /// How much later it is presented than decoded.
    package var compositionOffset: Int32
    /// Whether decoding can start with it.
    package var isSync: Bool

    /// Describes a sample.
    package init(
        bytes: any SampleBytes,
        offset: Int,
        size: Int,
        decodeTime: Int64,
        duration: UInt32,
        compositionOffset: Int32 = 0,
        isSync: Bool = true
    ) {
        self.bytes = bytes
        self.offset = offset
        self.size = size
        self.decodeTime = decodeTime
        self.duration = duration
        self.compositionOffset = compositionOffset
        self.isSync = isSync
    }

    /// Where its bytes lie in ``bytes``.
    package var range: Range<Int> { offset..<offset + size }

    /// When it is presented, in the timescale of its track, before ``MediaTrack/timing`` is applied.
    package var presentationTime: Int64 { decodeTime + Int64(compositionOffset) }

    /// Lends its bytes.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try bytes.withBytes { try body($0.extracting(range)) }
    }
}
