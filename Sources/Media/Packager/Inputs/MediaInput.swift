/// A source of samples: a file or a pipe. Samples are returned in the order of their decode times over all tracks, as
/// far as the order of the input permits (samples from a pipe are returned in their order in the stream).
///
/// An input consists of one or more parts. Within a part the timeline is continuous, and the tracks and their
/// configurations do not change. A part ends where timestamps jump, a configuration changes, or tracks appear or
/// disappear: a splice, an edit, or two recordings in one file.
package protocol MediaInput: AnyObject {
    /// The name of the input in error messages: the path, or `standard input`.
    var name: String { get }

    /// The tracks of the current part, which samples reference by index; their times start at 0 in each part. They are
    /// known as soon as the input is open: a transport stream is read until every stream of the program map has been
    /// identified.
    var tracks: [MediaTrack] { get }

    /// Problems that do not stop packaging: skipped tracks that are neither video nor audio nor subtitles, and damaged
    /// data.
    var warnings: [String] { get }

    /// The video, audio and subtitles found so far that cannot be packaged; ``PackagingPlan/checkOmissions()`` decides
    /// whether packaging stops.
    var omissions: [Omission] { get }

    /// The size in bytes, for progress; nil for a pipe.
    var byteCount: Int? { get }

    /// The number of bytes read so far.
    var position: Int { get }

    /// Returns the next event; nil after the last one.
    ///
    /// - Throws: ``InputFailure``.
    func next() throws -> InputEvent?
}

/// An event of an input.
package enum InputEvent: Sendable {
    /// The next sample, and the index of its track in ``MediaInput/tracks``.
    case sample(track: Int, MediaSample)
    /// A new part starts: from here on, ``MediaInput/tracks`` describes it. The reason is for messages: `the timestamps
    /// jump`.
    case part(reason: String)
    /// A command of SCTE 35, usually some seconds ahead of its time.
    case splice(SpliceMarker)
    /// ID3 tags with a time.
    case metadata(TimedMetadata)
}

extension MediaInput {
    package var omissions: [Omission] { [] }
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
