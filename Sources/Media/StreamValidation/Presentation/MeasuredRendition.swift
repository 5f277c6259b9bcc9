public import HLSPlaylist

/// A Media Playlist of a presentation with the measurements of its segments.
public struct MeasuredRendition: Sendable {
    /// The tags of the Multivariant Playlist that refer to the Media Playlist.
    public struct Roles: Sendable {
        /// The variants, with the lines of their tags.
        public var variants: [(variant: Variant, line: Int)] = []
        /// The renditions, with the lines of their tags.
        public var renditions: [(tag: MediaTag, line: Int)] = []
        /// The I-frame variants, with the lines of their tags.
        public var iFrameVariants: [(tag: IFrameStreamInfTag, line: Int)] = []

        /// Creates the roles of a Media Playlist without a Multivariant Playlist.
        public init() {}

        /// The line of the first tag; 0 without tags.
        var firstLine: Int {
            let lines = variants.map(\.line) + renditions.map(\.line) + iFrameVariants.map(\.line)
            return lines.min() ?? 0
        }

        /// True if no tag refers to the Media Playlist.
        public var isEmpty: Bool { variants.isEmpty && renditions.isEmpty && iFrameVariants.isEmpty }
    }

    /// The resolved URI, or the path.
    public let name: String
    /// The playlist with its lines.
    public let file: LintFile
    /// The parsed playlist.
    public let playlist: MediaPlaylist
    /// The tags that refer to it.
    public var roles: Roles
    /// The segments, in the order of the playlist.
    public var segments: [MeasuredSegment]
    /// The observations of the HTTP response with the playlist; nil for files.
    public var http: HTTPObservation?
    /// The observations of the last HTTP response to a blocking reload, by ``StreamWatch``; nil without one.
    public var blockingHTTP: HTTPObservation?

    /// The loudness of the decoded audio; nil if it was not to be measured, or there is no audio.
    public var loudness: MeasuredLoudness?

    /// True if the playlist was live when ``StreamWatch`` started. Its segments are all that were measured since then,
    /// whether or not the playlist still lists them.
    public var isWatched = false

    /// True if it is an I-frame playlist.
    public var isIFrames: Bool { playlist.isIFramesOnly || !roles.iFrameVariants.isEmpty }
    /// True if it is a live playlist: more segments can follow.
    public var isLive: Bool { isWatched || !playlist.isEnded }
    /// True if every segment except gaps was measured.
    public var isComplete: Bool { segments.allSatisfy { $0.isGap || $0.measurement != nil } }
    /// The segments that were measured.
    public var measured: [(segment: MeasuredSegment, measurement: SegmentMeasurement)] {
        segments.compactMap { segment in segment.measurement.map { (segment, $0) } }
    }

    /// Creates a rendition.
    public init(name: String, file: LintFile, playlist: MediaPlaylist, roles: Roles, segments: [MeasuredSegment]) {
        (self.name, self.file, self.playlist) = (name, file, playlist)
        (self.roles, self.segments) = (roles, segments)
    }

    /// The kind of media that determines which rules apply: video if any segment has a video track.
    public var kind: TrackFormat.Kind? {
        var kinds: Set<TrackFormat.Kind> = []
        for segment in segments {
            guard case .measured(let measurement) = segment.outcome else { continue }
            for track in measurement.tracks { kinds.insert(track.format.kind) }
            if kinds.contains(.video) { return .video }
        }
        return [.audio, .subtitles].first(where: kinds.contains)
    }

    /// The formats of the tracks, each once, in the order of their first segments.
    public var formats: [TrackFormat] {
        var formats: [TrackFormat] = []
        for (_, measurement) in measured {
            for track in measurement.tracks where !formats.contains(track.format) { formats.append(track.format) }
        }
        return formats
    }
}

/// A segment of a Media Playlist with its measurement.
public struct MeasuredSegment: Sendable {
    /// The result of loading and measuring a segment.
    public enum Outcome: Sendable {
        /// The segment was not loaded: it is a gap, or not in the sample.
        case skipped
        /// The segment was measured.
        case measured(SegmentMeasurement)
        /// The segment was loaded, but it is encrypted as a whole, so that only its size is known.
        case sealed(byteCount: Int)
        /// The segment could not be loaded.
        case missing(reason: String)
        /// The segment was loaded, but cannot be read.
        case unreadable(reason: String)
        /// The segment was loaded, but the encryption of its samples is inconsistent, so that no player can decrypt it.
        case undecryptable(reason: String)
    }

    /// The index in the playlist, from 0.
    public var index: Int
    /// The Media Sequence Number.
    public var sequence: UInt64
    /// The Discontinuity Sequence Number.
    public var discontinuity: UInt64
    /// The line of the URI in the playlist, from 1.
    public var line: Int
    /// The URI as in the playlist.
    public var uri: String
    /// The byte range; nil for the whole resource.
    public var byteRange: Range<UInt64>?
    /// The start in seconds from the start of the playlist, by EXTINF.
    public var start: Double
    /// The duration in seconds, by EXTINF.
    public var duration: Double
    /// The date and time of the first sample, of EXT-X-PROGRAM-DATE-TIME and EXTINF; nil if it is unknown.
    public var programDateTime: PlaylistDate?
    /// The approximate bit rate of EXT-X-BITRATE in kilobits per second.
    public var declaredBitrate: UInt64?
    /// True if the segment is a gap.
    public var isGap: Bool
    /// True if an EXT-X-DISCONTINUITY tag precedes the segment.
    public var isDiscontinuity: Bool
    /// The keys that apply to the segment.
    public var keys: KeyContext
    /// The URI of the EXT-X-MAP tag that applies; nil without one.
    public var map: String?
    /// The formats that the init segment declares; empty without one.
    public var initialization: [TrackFormat] = []
    /// The observations of the HTTP response; nil for files, and if the segment was not loaded.
    public var http: HTTPObservation?
    /// The result.
    public var outcome = Outcome.skipped
    /// The results of trying keys on the encrypted tracks; empty without keys.
    public var decryptions: [MeasuredDecryption] = []

    /// Creates a segment that was not loaded yet.
    public init(_ segment: ResolvedSegment, line: Int) {
        index = segment.index
        sequence = segment.mediaSequenceNumber
        discontinuity = segment.discontinuitySequenceNumber
        self.line = line
        uri = segment.segment.uri
        byteRange = segment.byteRange
        start = segment.start
        duration = segment.segment.duration
        programDateTime = segment.programDateTime
        declaredBitrate = segment.bitrate
        isGap = segment.segment.isGap
        isDiscontinuity = segment.segment.isDiscontinuity
        keys = segment.keys
        map = segment.initialization?.map.uri
    }

    /// The measurement; nil if the segment was not measured.
    public var measurement: SegmentMeasurement? {
        if case .measured(let measurement) = outcome { measurement } else { nil }
    }

    /// The size in bytes; nil if the segment was not loaded.
    public var byteCount: Int? {
        switch outcome {
        case .measured(let measurement): measurement.byteCount
        case .sealed(let count): count
        case .skipped, .missing, .unreadable, .undecryptable: nil
        }
    }
}
