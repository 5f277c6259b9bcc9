/// The schedule of a live channel: for which tracks of a title key periods are made ahead of the time, and how far.
///
///     start ---- now ----|--------- ahead ---------|
///           | p | p0  | p1  | p2  | p3  | p4  |     of one length each; they begin at its multiples since 1970
package struct ChannelRecord: Sendable, Equatable {
    /// The title, by its name. The row's identity: a title has one schedule or none.
    package let title: String
    /// Its tracks, by their names, in their order; 1 to 100.
    package let tracks: [String]
    /// How long a period is, in seconds: ``lengths``.
    package let length: Int64
    /// How far ahead there are to be periods, in seconds: 0 or more, and ``mostPeriods`` at most.
    package let ahead: Int64
    /// No period is made that ends before this, in Unix seconds; nil: from now on.
    package let start: Int64?
    /// Whether no more periods are made until it goes on. Those that are there stay.
    package let isPaused: Bool
    /// When the schedule was first stored, in Unix seconds. Replacing the record keeps it.
    package var created: Int64
    /// When the record was last written, in Unix seconds.
    package let updated: Int64

    /// From a minute to a month.
    package static let lengths: ClosedRange<Int64> = 60...2_678_400
    /// As many periods of a track as are made at once: they are stored in one transaction.
    package static let mostPeriods: Int64 = 500
    /// How far ahead periods of the greatest length may be, in seconds; shorter ones less far.
    package static let longestAhead = (mostPeriods - 1) * lengths.upperBound - 1
    /// As many tracks as a schedule has.
    package static let mostTracks = 100

    /// Makes a record that is first stored at `time`, in Unix seconds.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
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

    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field is out of bounds.
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
        try require(1...Self.mostTracks ~= tracks.count, "a channel has 1 to \(Self.mostTracks) tracks")
        try require(Set(tracks).count == tracks.count, "a track is named twice")
        try require(
            Self.isPlan(length: length, ahead: ahead),
            "a period has 60 to 2678400 seconds, and there are at most \(Self.mostPeriods) ahead"
        )
        try require((start ?? 0) >= 0, "the channel would start before 1970")
        self.title = title
        self.tracks = tracks.sorted()
        self.length = length
        self.ahead = ahead
        self.start = start
        self.isPaused = isPaused
        self.created = created
        self.updated = updated
    }

    /// Whether periods of a length can be made so far ahead: within ``lengths``, ``mostPeriods`` at most.
    package static func isPlan(length: Int64, ahead: Int64) -> Bool {
        lengths.contains(length) && ahead >= 0 && ahead / length < mostPeriods - 1
    }

    /// The same schedule, going on or not, as of `time` in Unix seconds.
    ///
    /// - Throws: nothing in fact, since its fields are in bounds.
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

    /// The row in words, for errors.
    package var place: String { "channel \(title)" }
}
