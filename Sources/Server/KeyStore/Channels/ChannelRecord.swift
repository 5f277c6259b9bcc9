/// The schedule of a live channel: the tracks of a title for which key periods are created, and how far ahead of time.
///
///     start ---- now ----|--------- ahead ---------|
///           | p | p0  | p1  | p2  | p3  | p4  |   equal lengths, at multiples of the length since 1970
package struct ChannelRecord: Sendable, Equatable {
    /// The name of the title, which is the primary key: a title has at most one schedule.
    package let title: String
    /// The names of the title's tracks, sorted; 1 to 100.
    package let tracks: [String]
    /// The length of a period, in seconds, within ``lengths``.
    package let length: Int64
    /// How far ahead periods are created, in seconds: 0 or more, limited by ``maximumPeriods``.
    package let ahead: Int64
    /// The time before which no period ends, in Unix seconds, or nil for the current time.
    package let start: Int64?
    /// True if the creation of periods is paused. Existing periods stay.
    package let isPaused: Bool
    /// The time when the schedule was first stored, in Unix seconds. Replacing the record preserves it.
    package var created: Int64
    /// The time when the record was last written, in Unix seconds.
    package let updated: Int64

    /// The permitted lengths of a period, in seconds: from a minute to 31 days.
    package static let lengths: ClosedRange<Int64> = 60...2_678_400
    /// The maximum number of a track's periods ahead, which are stored in one transaction.
    package static let maximumPeriods: Int64 = 500
    /// The maximum of ``ahead`` for the longest period, in seconds; the limit for shorter periods is lower.
    package static let longestAhead = (maximumPeriods - 1) * lengths.upperBound - 1
    /// The maximum number of tracks of a schedule.
    package static let maximumTracks = 100

    /// Creates a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field is out of bounds.
    package init(
        title: String,
        tracks: [String],
        length: Int64,
        ahead: Int64,
        start: Int64? = nil,
        isPaused: Bool = false,
        time: Int64
    ) throws(KeyStoreError) {
        try self.init(
            title: title,
            tracks: tracks,
            length: length,
            ahead: ahead,
            start: start,
            isPaused: isPaused,
            created: time,
            updated: time
        )
    }

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field is out of bounds.
    package init(
        title: String,
        tracks: [String],
        length: Int64,
        ahead: Int64,
        start: Int64?,
        isPaused: Bool,
        created: Int64,
        updated: Int64
    ) throws(KeyStoreError) {
        try requireName(title, in: "channel, title")
        let place = "channel \(title)"
        for track in tracks { try requireName(track, in: "\(place), track") }
        func require(_ holds: Bool, _ reason: String) throws(KeyStoreError) {
            guard holds else { throw KeyStoreError(.invalidRecord, place: place, reason: reason) }
        }
        try require(
            1...Self.maximumTracks ~= tracks.count,
            "expected 1 to \(Self.maximumTracks) tracks, not \(tracks.count)"
        )
        try require(Set(tracks).count == tracks.count, "a track is listed twice")
        try require(
            Self.isPlan(length: length, ahead: ahead),
            "expected a period of 60 to 2678400 seconds, and at most \(Self.maximumPeriods) periods ahead"
        )
        try require((start ?? 0) >= 0, "the start is before 1970")
        self.title = title
        self.tracks = tracks.sorted()
        self.length = length
        self.ahead = ahead
        self.start = start
        self.isPaused = isPaused
        self.created = created
        self.updated = updated
    }

    /// Returns whether periods of this length can be created that far ahead: within ``lengths`` and ``maximumPeriods``.
    package static func isPlan(length: Int64, ahead: Int64) -> Bool {
        lengths.contains(length) && ahead >= 0 && ahead / length < maximumPeriods - 1
    }

    /// Returns the same schedule, paused or not, as of `time` in Unix seconds.
    ///
    /// - Throws: Nothing in practice, because the fields are within bounds.
    package func paused(_ isPaused: Bool, time: Int64) throws(KeyStoreError) -> ChannelRecord {
        try ChannelRecord(
            title: title,
            tracks: tracks,
            length: length,
            ahead: ahead,
            start: start,
            isPaused: isPaused,
            created: created,
            updated: time
        )
    }

    /// The description of the row for error messages.
    package var place: String { "channel \(title)" }
}
