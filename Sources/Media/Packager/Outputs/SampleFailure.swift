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

    /// The position and the reason.
    package var description: String { "the sample at byte \(offset), decode time \(decodeTime): \(error)" }
}
