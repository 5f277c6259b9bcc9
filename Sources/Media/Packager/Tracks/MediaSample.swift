/// A sample in the pipeline: its times and the location of its bytes.
package struct MediaSample: Sendable {
    /// The buffer that contains its bytes: a mapped input, or bytes collected by a demuxer.
    package var bytes: any SampleBytes
    /// The offset of its first byte in ``bytes``.
    package var offset: Int
    /// The size in bytes.
    package var size: Int
    /// The decode time in the timescale of its track, before ``MediaTrack/timing`` is applied. The first sample of a
    /// track may be after 0, but never before.
    package var decodeTime: Int64
    /// The duration in the timescale of its track.
    package var duration: UInt32
    /// The presentation time minus the decode time, in the timescale of its track.
    package var compositionOffset: Int32
    /// True if decoding can start with it.
    package var isSync: Bool

    /// Creates a sample.
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

    /// The range of its bytes in ``bytes``.
    package var range: Range<Int> { offset..<offset + size }

    /// The presentation time in the timescale of its track, before ``MediaTrack/timing`` is applied.
    package var presentationTime: Int64 { decodeTime + Int64(compositionOffset) }

    /// Calls a closure with its bytes.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try bytes.withBytes { try body($0.extracting(range)) }
    }
}
