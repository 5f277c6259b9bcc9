/// Video, audio or subtitles of an input that cannot be packaged: a track in an unsupported format, or the part of a
/// track that a truncated file lacks. An omission ends a run, unless the job excludes its kind of tracks or skips what
/// is not supported. Tracks of other kinds (timecode, chapters, metadata, cover art) only cause warnings.
package struct Omission: Hashable, Sendable {
    /// The kind of media that would be missing.
    package var kind: MediaTrack.Kind
    /// The track: `track 2`, `PID 257 (MPEG-2 video)`.
    package var track: String
    /// The reason, to be appended to the track.
    package var reason: String
    /// How to correct the problem; nil if there is no general way.
    package var advice: String?

    /// Creates an omission.
    package init(_ kind: MediaTrack.Kind, _ track: String, _ reason: String, advice: String? = nil) {
        self.kind = kind
        self.track = track
        self.reason = reason
        self.advice = advice
    }

    /// The track and the reason.
    var description: String { "\(track) \(reason)" }
}

/// An error for media of an input that would be missing from the presentation.
///
/// ``PackagingJob/skipsUnsupported`` packages the rest, with a warning for each omission.
public struct OmissionFailure: Error, Hashable, CustomStringConvertible {
    /// The name of the input.
    public let input: String
    /// The omitted media, with reasons and how to convert the input.
    public let reason: String
    /// The kinds of tracks that would remain, joined by `+`, if they can be selected without those that are omitted; nil
    /// otherwise.
    package let remainingKinds: String?

    /// Creates a failure for a track of a later part that has no rendition.
    init(lost track: InputFailure) {
        (input, reason, remainingKinds) = (track.input, track.reason, nil)
    }

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - omissions: The omitted media; not empty.
    ///   - packaged: The kinds of the tracks that are packaged.
    init(_ input: String, _ omissions: [Omission], packaged: Set<MediaTrack.Kind>) {
        self.input = input
        var parts = omissions.map(\.description)
        if let advice = Self.advice(for: omissions) { parts.append(advice) }
        reason = parts.joined(separator: "; ")
        let omitted = Set(omissions.map(\.kind))
        let remaining = MediaTrack.Kind.allCases.filter { packaged.contains($0) && !omitted.contains($0) }
        remainingKinds =
            packaged.isDisjoint(with: omitted) && !remaining.isEmpty
            ? remaining.map(\.rawValue).joined(separator: "+") : nil
    }

    /// Returns the given advice, or the command that encodes the tracks that cannot be packaged and copies the others.
    private static func advice(for omissions: [Omission]) -> String? {
        var given = omissions.compactMap(\.advice)
        given = given.enumerated().filter { !given[..<$0.offset].contains($0.element) }.map(\.element)
        guard given.isEmpty else { return given.joined(separator: "; ") }
        let kinds = Set(omissions.map(\.kind))
        guard kinds.contains(.video) || kinds.contains(.audio) else { return nil }
        return Conversion.encoding(video: kinds.contains(.video), audio: kinds.contains(.audio))
    }

    /// The input and the reason.
    public var description: String { "\(input): \(reason)" }
}

/// Commands that convert inputs into formats that can be packaged. A test runs each of them.
enum Conversion {
    /// Encodes the video or the audio of an input and copies the other tracks. Subtitles, data and cover art are left
    /// out: MP4 does not support most of their formats.
    static func encoding(video: Bool, audio: Bool) -> String {
        "encode it first (ffmpeg -i IN -map '0:V?' -map '0:a?' -c:v \(video ? "libx264" : "copy") "
            + "-c:a \(audio ? "aac" : "copy") OUT.mp4)"
    }

    /// Encodes all video and audio.
    static let encode = encoding(video: true, audio: true)
    /// Encodes audio. Cover art would become a video track.
    static let encodeAudio = "encode it first (ffmpeg -i IN -vn -c:a aac OUT.m4a)"
    /// Copies video and audio into another container.
    static let remux = "remux it first (ffmpeg -i IN -map '0:V?' -map '0:a?' -c copy OUT.mp4)"
    /// Copies video and audio into another container, or encodes them if the container often has other codecs.
    static let remuxOrEncode =
        "if it contains H.264 or HEVC with AAC or AC-3, \(remux); otherwise \(encode)"
    /// Converts text subtitles.
    static let subtitles = "convert it first (ffmpeg -i IN OUT.vtt)"
    /// Extracts the text subtitles of a file as an input of their own.
    static let subtitleTrack = "convert it to WebVTT and give that as another input (ffmpeg -i IN -map 0:s OUT.vtt)"
    /// Converts TTML, which ffmpeg does not read.
    static let timedText = "convert it to WebVTT first, for example with ttconv (tt convert -i IN.ttml -o OUT.vtt)"
}
