import HLSPlaylist

extension MediaPlaylist {
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
