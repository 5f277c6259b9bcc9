import HLSPlaylist

/// The dates of a VOD presentation: the first frame has the date 1970-01-01T00:00:00Z, so that equal inputs result in
/// equal playlists, and each part continues where the previous one ends.
struct PartDates {
    private var start = PlaylistDate(seconds: 0)
    private var origin: RationalTime?
    private var end = PlaylistDate(seconds: 0)

    /// Continues with a part, whose times start again.
    mutating func beginPart() { (start, origin) = (end, nil) }

    /// Returns the date of a segment, in milliseconds.
    mutating func date(of segment: TrackSegment) -> PlaylistDate {
        if origin == nil { origin = segment.start }
        end = max(end, date(of: segment.end))
        return date(of: segment.start)
    }

    /// Returns the date of a time in the current part, in milliseconds.
    func date(of time: RationalTime) -> PlaylistDate {
        start.advanced(by: max(0, time.seconds - (origin?.seconds ?? 0))).inMilliseconds
    }
}
