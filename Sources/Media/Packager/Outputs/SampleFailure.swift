package import ByteCoding

/// Why a sample cannot be written: what its bytes are not what its codec says.
package struct SampleFailure: Error, CustomStringConvertible {
    /// When the sample is decoded, in the timescale of its track.
    package let decodeTime: Int64
    /// Where its first byte lies in the input.
    package let offset: Int
    /// What is wrong; its offset is that in the sample.
    package let error: ParseError

    /// Describes a failure.
    package init(_ sample: MediaSample, _ error: ParseError) {
        decodeTime = sample.decodeTime
        offset = sample.offset
        self.error = error
    }

    /// The place and the reason.
    package var description: String { "the sample at byte \(offset), decoding time \(decodeTime): \(error)" }
}
