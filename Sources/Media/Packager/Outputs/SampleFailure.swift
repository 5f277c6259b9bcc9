package import ByteCoding

/// An error for a sample that cannot be written, because its data does not match its codec.
package struct SampleFailure: Error, CustomStringConvertible {
    /// The decode time of the sample, in the timescale of its track.
    package let decodeTime: Int64
    /// The offset of its first byte in the input.
    package let offset: Int
    /// The error; its offset is relative to the sample.
    package let error: ParseError

    /// Creates a failure.
    package init(_ sample: MediaSample, _ error: ParseError) {
        decodeTime = sample.decodeTime
        offset = sample.offset
        self.error = error
    }

    /// Creates a failure for a video sample that is to be encrypted, but has no slice.
    init(withoutSlice sample: MediaSample) {
        self.init(
            sample,
            ParseError(
                .invalidValue,
                reading: "video sample",
                offset: 0,
                reason:
                    "it contains no slice, so nothing of it can be encrypted: convert the input with ffmpeg, or leave "
                    + "this track clear (policy=clear)"
            )
        )
    }

    /// The position and the reason.
    package var description: String { "the sample at byte \(offset), decode time \(decodeTime): \(error)" }
}
