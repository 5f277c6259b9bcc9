/// A source of samples: a file or a pipe. Samples are returned in the order of their decode times over all tracks, as
/// far as the order of the input permits (samples from a pipe are returned in their order in the stream).
package protocol MediaInput: AnyObject {
    /// The name of the input in error messages: the path, or `standard input`.
    var name: String { get }

    /// The tracks, which samples reference by index. They are known as soon as the input is open: a transport stream is
    /// read until every stream of the program map has been identified.
    var tracks: [MediaTrack] { get }

    /// Problems that do not stop packaging: tracks that were skipped and why, and damaged data.
    var warnings: [String] { get }

    /// The size in bytes, for progress; nil for a pipe.
    var byteCount: Int? { get }

    /// The number of bytes read so far.
    var position: Int { get }

    /// The number of discontinuities so far: clock resets and parameter set changes. A live presentation starts a new
    /// period after each one.
    var discontinuityCount: Int { get }

    /// Returns the next sample and the index of its track in ``tracks``; nil after the last sample.
    ///
    /// - Throws: ``InputFailure``.
    func next() throws -> (track: Int, sample: MediaSample)?
}

extension MediaInput {
    package var discontinuityCount: Int { 0 }
}

/// An error in an input: the input, the position, the reason, and how to correct it.
public struct InputFailure: Error, Hashable, CustomStringConvertible {
    /// The name of the input.
    public let input: String
    /// The position and the reason, and how to correct the problem if that is possible.
    public let reason: String

    /// Creates a failure.
    package init(_ input: String, _ reason: String) {
        self.input = input
        self.reason = reason
    }

    /// The input and the reason.
    public var description: String { "\(input): \(reason)" }
}
