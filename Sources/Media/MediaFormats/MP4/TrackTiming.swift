public import ByteCoding

/// When a track's media is presented, from its edit list: it may begin later than the presentation, and its beginning
/// may be cut off.
public struct TrackTiming: Hashable, Sendable {
    /// Units per second of ``mediaTime``, ``delay`` and ``presentationOffset``: the timescale of the media.
    public let timescale: UInt32
    /// The composition time at which the presentation of the media begins: the priming of audio, the delay that
    /// B-frames cause in video, or a cut. 0 without an edit list.
    public let mediaTime: UInt64
    /// How much later than the presentation the track begins, from empty edits, rounded to the nearest unit.
    public let delay: UInt64
    /// How much of the media is presented, in the timescale of the movie; nil: all to the end.
    public let movieDuration: UInt64?

    /// What is added to composition times to get times in the presentation, in the timescale of the media. Samples
    /// whose time is negative then are not presented.
    public var presentationOffset: Int64 { Int64(clamping: delay) - Int64(clamping: mediaTime) }

    /// Makes a timing without an edit list.
    public init(timescale: UInt32) {
        self.init(timescale: timescale, mediaTime: 0, delay: 0)
    }

    /// Makes a timing; parameters as the properties.
    public init(timescale: UInt32, mediaTime: UInt64, delay: UInt64, movieDuration: UInt64? = nil) {
        self.timescale = timescale
        self.mediaTime = mediaTime
        self.delay = delay
        self.movieDuration = movieDuration
    }

    /// Reads an edit list.
    ///
    /// - Parameters:
    ///   - editList: The list; nil when the track has none.
    ///   - trackID: The track, for the error.
    ///   - movieTimescale: Units per second of the edits' durations.
    ///   - timescale: Units per second of the media's times.
    /// - Throws: `ParseError` `not-supported` for several pieces of media, or a rate other than 1.
    public init(
        editList: EditListBox?,
        trackID: UInt32,
        movieTimescale: UInt32,
        timescale: UInt32
    ) throws(ParseError) {
        func unsupported(_ reason: String) -> ParseError {
            ParseError(.notSupported, reading: "edit list of track \(trackID)", offset: 0, reason: reason)
        }
        guard let entries = editList?.entries, !entries.isEmpty else {
            self.init(timescale: timescale)
            return
        }
        var empty: UInt64 = 0
        var edit: EditListBox.Entry?
        for entry in entries {
            if entry.mediaTime == nil {
                // An empty edit behind the media only makes the track longer.
                if edit == nil {
                    let (sum, overflow) = empty.addingReportingOverflow(entry.segmentDuration)
                    guard !overflow, sum < 1 << 62 else { throw unsupported("its delay is absurd") }
                    empty = sum
                }
                continue
            }
            guard edit == nil else { throw unsupported("it presents more than one piece of the media") }
            guard entry.mediaRate == 0x0001_0000 else { throw unsupported("it has a rate other than 1") }
            edit = entry
        }
        guard let edit, let time = edit.mediaTime else { throw unsupported("it presents no media") }
        guard time >= 0, time < 1 << 61 else { throw unsupported("it begins at \(time)") }
        let product = empty.multipliedFullWidth(by: UInt64(timescale))
        let divisor = UInt64(movieTimescale)
        guard divisor > 0, product.high < divisor else { throw unsupported("its delay is absurd") }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        guard quotient < 1 << 61 else { throw unsupported("its delay is absurd") }
        self.init(
            timescale: timescale,
            mediaTime: UInt64(time),
            delay: quotient + (remainder >= divisor - remainder ? 1 : 0),
            movieDuration: edit.segmentDuration == 0 ? nil : edit.segmentDuration
        )
    }

    /// An edit list that means the same; nil when none is needed.
    ///
    /// - Parameter movieTimescale: Units per second of the edits' durations in the new file.
    public func editList(movieTimescale: UInt32, isFragmented: Bool) -> EditListBox? {
        guard mediaTime > 0 || delay > 0 || (movieDuration != nil && !isFragmented) else { return nil }
        var entries: [EditListBox.Entry] = []
        if delay > 0, timescale > 0 {
            let product = delay.multipliedFullWidth(by: UInt64(movieTimescale))
            let duration = product.high < timescale ? UInt64(timescale).dividingFullWidth(product).quotient : 0
            entries.append(EditListBox.Entry(segmentDuration: duration, mediaTime: nil))
        }
        let duration = isFragmented ? 0 : movieDuration ?? 0
        entries.append(EditListBox.Entry(segmentDuration: duration, mediaTime: Int64(clamping: mediaTime)))
        return EditListBox(entries: entries)
    }
}
