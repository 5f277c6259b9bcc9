/// Where samples come from: a file, a pipe. Samples come in the order of their decoding times over all tracks, as far as
/// the input's own order allows (a pipe's is taken as it is).
package protocol MediaInput: AnyObject {
    /// What it is called in errors: the path, or `standard input`.
    var name: String { get }

    /// Its tracks. Samples name them by their places here. Known when the input was opened: of a transport stream so
    /// much is read that every stream of the program map has shown what it is.
    var tracks: [MediaTrack] { get }

    /// What was found on the way that does not stop the work: tracks that were left out and why, damage.
    var warnings: [String] { get }

    /// Its size in bytes, for progress; nil on a pipe.
    var byteCount: Int? { get }

    /// How far it has been read, in bytes.
    var position: Int { get }

    /// How often what came did not go on from what was before: clocks that start anew, other parameter sets. Who packages
    /// without an end begins anew then.
    var breaks: Int { get }

    /// The next sample and the place of its track in ``tracks``; nil after the last.
    ///
    /// - Throws: ``InputFailure``.
    func next() throws -> (track: Int, sample: MediaSample)?
}

extension MediaInput {
    package var breaks: Int { 0 }
}

/// Why an input cannot be packaged: the input, the place in it, the reason, and what to do.
public struct InputFailure: Error, Hashable, CustomStringConvertible {
    /// The input's name.
    public let input: String
    /// The place and the reason, and what to do where something can be done.
    public let reason: String

    /// Describes a failure.
    package init(_ input: String, _ reason: String) {
        self.input = input
        self.reason = reason
    }

    /// All of it.
    public var description: String { "\(input): \(reason)" }
}
