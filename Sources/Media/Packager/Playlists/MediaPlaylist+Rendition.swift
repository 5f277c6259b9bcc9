import HLSPlaylist

extension MediaPlaylist {
    /// Creates the Media Playlist of a rendition, without the version and the Target Duration, which
    /// ``setTargetDuration(_:)`` sets.
    ///
    /// - Parameters:
    ///   - rendition: The rendition, whose segments have been written.
    ///   - keys: The EXT-X-KEY tags of its protected segments, by key period.
    init(_ rendition: Rendition, keys: PeriodKeys) {
        self.init(targetDuration: 0)
        playlistType = .vod
        isEnded = true
        var rounder = DurationRounder()
        var encryption = EncryptionTags(rendition, keys: keys)
        var bitRate = BitRateTags()
        segments = rendition.segments.map { segment in
            let duration = rounder.advance(by: segment.duration.seconds)
            var tags = encryption.tags(isProtected: segment.isProtected, period: segment.period)
            if segment.resource.byteRange == nil, rendition.track.kind != .subtitles {
                tags += bitRate.tags(byteCount: segment.byteCount, duration: duration)
            }
            return MediaSegment(
                uri: segment.resource.uri,
                duration: duration,
                byteRange: segment.resource.byteRange.map { ByteRange($0) },
                tags: tags
            )
        }
    }

    /// Creates the I-frame playlist of a video rendition (RFC 8216bis, 4.4.3.6); nil if there are no I-frames that a
    /// client could use. A client cannot extract I-frames from segments that are encrypted as a whole.
    init?(iFramesOf rendition: Rendition, keys: PeriodKeys) {
        let frames = rendition.iFrames
        guard rendition.track.kind == .video, !frames.isEmpty else { return nil }
        self.init(targetDuration: 0)
        playlistType = .vod
        isEnded = true
        isIFramesOnly = true
        var rounder = DurationRounder()
        var encryption = EncryptionTags(rendition, keys: keys)
        segments = frames.map { frame in
            MediaSegment(
                uri: frame.resource.uri,
                duration: rounder.advance(by: frame.duration),
                byteRange: frame.resource.byteRange.map { ByteRange($0) },
                tags: encryption.tags(isProtected: frame.isProtected, period: frame.period)
            )
        }
    }

    /// The duration of the longest segment, in seconds.
    var longestDuration: Double { segments.map(\.duration).max() ?? 0 }

    /// Sets the Target Duration, in seconds, and the lowest version that the playlist's tags require. From version 3
    /// on, integer durations are written with a decimal point, which indicates that they are exact.
    mutating func setTargetDuration(_ targetDuration: UInt64) {
        self.targetDuration = targetDuration
        version = neededVersion
        marksExactDurations = (version ?? 1) >= 3
    }

    /// Returns the common Target Duration of playlists, in seconds. Every segment's duration, rounded to the nearest
    /// second, is at most this value (RFC 8216bis, 4.4.3.1). If a playlist has a version below 6, every segment's
    /// duration is at most this value without rounding, because the rounding was introduced in version 6 (section 8).
    static func targetDuration(of playlists: [MediaPlaylist]) -> UInt64 {
        let longest = playlists.map(\.longestDuration).max() ?? 0
        let isRounded = playlists.allSatisfy { ($0.neededVersion ?? 1) >= 6 }
        return max(1, UInt64(exactly: longest.rounded(isRounded ? .toNearestOrAwayFromZero : .up)) ?? 1)
    }
}

extension ByteRange {
    init(_ range: Range<Int>) {
        self.init(length: UInt64(range.count), offset: UInt64(range.lowerBound))
    }
}

/// Rounds the durations of segments to microseconds without accumulating errors: the end of each segment is rounded,
/// not its duration.
struct DurationRounder {
    private var time = 0.0
    private var microseconds: Int64 = 0

    /// Returns the rounded duration of a segment, whose exact duration is in seconds.
    mutating func advance(by seconds: Double) -> Double {
        time += seconds
        let end = Int64(exactly: (time * 1e6).rounded()) ?? microseconds
        defer { microseconds = end }
        return Double(end - microseconds) / 1e6
    }
}

/// Creates EXT-X-KEY and EXT-X-MAP tags where the values change.
///
///     protected            KEY ... MAP     KEY once per key system; players read the keys before the init segment
///     AES-128              MAP KEY ...     the init segment is not encrypted: the key must not apply to it
///     clear lead           MAP (clear), later KEY ... MAP
///     clear again          KEY:METHOD=NONE MAP (clear)
///     another key period   KEY ... MAP     all keys of the period, and an init segment with its key ID
struct EncryptionTags {
    private let rendition: Rendition
    private let keys: PeriodKeys
    /// The key period of the last EXT-X-KEY tags; nil before the first of them and after METHOD=NONE.
    private var period: Int?
    /// The resource of the last EXT-X-MAP tag.
    private var map: Rendition.Resource?

    init(_ rendition: Rendition, keys: PeriodKeys) {
        self.rendition = rendition
        self.keys = keys
    }

    /// Returns the tags before a segment. `number` is the number of its key period.
    mutating func tags(isProtected: Bool, period number: Int) -> [SegmentTag] {
        var keyTags: [SegmentTag] = []
        let wanted = isProtected ? number : nil
        if wanted != period {
            keyTags = isProtected ? keys[number].map { .key($0) } : [.key(.none)]
            period = wanted
        }
        var mapTags: [SegmentTag] = []
        let initialization = rendition.initialization(in: number)
        let resource = isProtected ? initialization : rendition.clearInitialization ?? initialization
        if let resource, resource != map {
            mapTags = [.map(MapTag(uri: resource.uri, byteRange: resource.byteRange.map { ByteRange($0) }))]
            map = resource
        }
        return rendition.protection?.scheme == .aes128 ? mapTags + keyTags : keyTags + mapTags
    }
}

/// Creates EXT-X-BITRATE tags where the bit rate differs by more than 10 percent from the last tag (RFC 8216bis,
/// 4.4.4.8).
struct BitRateTags {
    /// The value of the last tag, in kilobits per second.
    private var lastRate: UInt64?

    /// Returns the tags before a segment with a size in bytes and a duration in seconds.
    mutating func tags(byteCount: Int, duration: Double) -> [SegmentTag] {
        guard duration > 0 else { return [] }
        let rate = Double(byteCount) * 8 / duration / 1000
        if let lastRate, (rate * 0.9...rate * 1.1).contains(Double(lastRate)) { return [] }
        guard let rounded = UInt64(exactly: rate.rounded()), rounded > 0 else { return [] }
        lastRate = rounded
        return [.bitrate(rounded)]
    }
}
