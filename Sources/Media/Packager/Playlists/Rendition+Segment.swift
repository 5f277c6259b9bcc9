package import HLSPlaylist

extension Rendition {
    /// A media segment that has been written, with everything that applies to it: the same value for playlists and
    /// manifests, for VOD and live.
    package struct Segment: Sendable {
        /// A Partial Segment: a byte range of its segment that can be loaded before the segment is complete.
        package struct Part: Hashable, Sendable {
            /// The byte range in the segment.
            package var byteRange: Range<Int>
            /// The duration in the presentation.
            package var duration: RationalTime
            /// True if it contains a frame that can be decoded without others.
            package var isIndependent: Bool
        }

        /// The file and the byte range.
        package var resource: Resource
        /// The size in bytes; 0 if unknown.
        package var byteCount: Int
        /// The start time in the timeline of its part, in the timescale of its track.
        package var start: RationalTime
        /// The duration in the presentation.
        package var duration: RationalTime
        /// The duration that the segment will probably have, at least ``duration``; nil if it is complete. In the
        /// timescale of its track.
        package var expectedDuration: RationalTime?
        /// The key frames, with offsets from the start of the segment.
        package var keyFrames: [KeyFrame]
        /// The number in the name of its file, from 1.
        package var number: UInt64 = 0
        /// The init segment; nil if the container has none.
        package var initialization: Resource?
        /// The encryption; nil if it is clear, or if the segment was read from a playlist.
        package var protection: TrackProtection?
        /// The EXT-X-KEY tags, one for each system; empty if it is clear.
        package var keys: [KeyTag] = []
        /// The number of its key period, from 0.
        package var period = 0
        /// True if it belongs to the clear lead, also if its rendition is never encrypted.
        package var isInClearLead = false
        /// The number of its part of the presentation, from 0: parts have separate timelines.
        package var part = 0
        /// True if it starts a new timeline (EXT-X-DISCONTINUITY).
        package var isDiscontinuity = false
        /// True if it has no media, because its rendition has no track there (EXT-X-GAP); its file does not exist.
        package var isGap = false
        /// The date of the first frame (EXT-X-PROGRAM-DATE-TIME); nil if the presentation has no dates.
        package var date: PlaylistDate?
        /// The Date Ranges that start or end with the segment (EXT-X-DATERANGE).
        package var dateRanges: [DateRangeTag] = []
        /// The value of EXT-X-BITRATE that applies to it, in kilobits per second. It stays when the segment that has the tag
        /// leaves the playlist. Nil if the playlist lists no bit rates.
        package var listedBitRate: UInt64?
        /// The Partial Segments, from the start of the segment (EXT-X-PART); empty without low latency.
        package var parts: [Part] = []

        /// Creates a segment.
        package init(
            resource: Resource,
            byteCount: Int = 0,
            start: RationalTime = .zero,
            duration: RationalTime,
            keyFrames: [KeyFrame] = []
        ) {
            self.resource = resource
            self.byteCount = byteCount
            self.start = start
            self.duration = duration
            self.keyFrames = keyFrames
        }

        /// Creates a segment without media, at the time of a segment of the leading rendition.
        init(gap number: UInt64, along segment: Segment) {
            self = segment
            let suffix = segment.resource.uri.split(separator: ".").last.map { ".\($0)" } ?? ""
            resource = Resource(uri: "gap-\(number)\(suffix)")
            (self.number, isGap, byteCount) = (number, true, 0)
            (initialization, protection, keys, keyFrames, parts) = (nil, nil, [], [], [])
        }

        /// The URI of the next segment, if segments are separate files.
        var followingURI: String {
            let uri = resource.uri
            let suffix = uri.lastIndex(of: ".").map { uri[$0...] } ?? ""
            let name = uri.dropLast(suffix.count)
            let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
            return name.dropLast(digits) + "\(number &+ 1)" + suffix
        }

        /// True if only some of its parts are available.
        var isOpen: Bool { expectedDuration != nil }

        /// The duration in a DASH manifest, which lists a segment from its first part on.
        var listedDuration: RationalTime { expectedDuration ?? duration }

        /// True if it is encrypted.
        package var isProtected: Bool { protection != nil }

        /// Returns whether another segment belongs to the same DASH Period.
        func sharesPeriod(with other: Segment) -> Bool {
            (part, period, isInClearLead) == (other.part, other.period, other.isInClearLead)
        }

        /// The end time in the timeline of its part.
        var end: RationalTime {
            RationalTime(start.value &+ duration.converted(to: start.timescale), timescale: start.timescale)
        }
    }
}

extension Rendition.Segment.Part {
    /// Reads a written tag; nil if it has no byte range with an offset.
    init?(_ tag: PartTag) {
        guard let range = Range(tag.byteRange) else { return nil }
        self.init(
            byteRange: range,
            duration: RationalTime(microseconds: tag.duration),
            isIndependent: tag.isIndependent
        )
    }
}

extension Rendition.Segment {
    /// A key frame as a segment of an I-frame playlist.
    struct IFrame {
        /// The byte range in the file.
        var byteRange: Range<Int>
        /// The time to the next key frame or to the end of the segment, in seconds.
        var duration: Double
    }

    /// The key frames that can be read independently, in order. Their total duration is that of the segment. A client
    /// cannot extract I-frames from segments that are encrypted as a whole.
    var iFrames: [IFrame] {
        guard protection?.scheme != .aes128, let first = keyFrames.first else { return [] }
        // The PAT and PMT at the start of a key frame in a transport stream are its Media Initialization Section, which
        // the byte range of an I-frame must not include, and which clients find before it (RFC 8216bis, 4.4.3.6).
        let tableSize = initialization == nil ? 2 * 188 : 0
        let offset = resource.byteRange?.lowerBound ?? 0
        let end = first.presentation.seconds + duration.seconds
        return keyFrames.enumerated().map { index, frame in
            let next = index + 1 < keyFrames.count ? keyFrames[index + 1].presentation.seconds : end
            let (start, stop) = (offset + frame.offset + tableSize, offset + frame.offset + frame.size)
            return IFrame(
                byteRange: start..<max(start, stop),
                duration: max(0, next - frame.presentation.seconds)
            )
        }
    }
}
