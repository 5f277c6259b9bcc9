public import ByteCoding

/// The presentation timing of a track's media, from its edit list: a track can start later than the presentation, and
/// the start of its media can be removed.
public struct TrackTiming: Hashable, Sendable {
    /// The timescale of ``mediaTime``, ``delay`` and ``presentationOffset``, in units per second: the timescale of the
    /// media.
    public let timescale: UInt32
    /// The composition time at which the presentation of the media starts, because of audio priming, the delay that
    /// B-frames cause in video, or a cut; 0 without an edit list.
    public let mediaTime: UInt64
    /// The start of the track relative to the start of the presentation, from empty edits, rounded to the nearest unit.
    public let delay: UInt64
    /// The duration of the presented media in the timescale of the movie; nil to present the media to their end.
    public let movieDuration: UInt64?

    /// The offset that is added to composition times to get presentation times, in the timescale of the media. Samples
    /// with a negative result are not presented.
    public var presentationOffset: Int64 { Int64(clamping: delay) - Int64(clamping: mediaTime) }

    /// Creates the timing of a track without an edit list.
    public init(timescale: UInt32) {
        self.init(timescale: timescale, mediaTime: 0, delay: 0)
    }

    /// Creates a timing from its properties.
    public init(timescale: UInt32, mediaTime: UInt64, delay: UInt64, movieDuration: UInt64? = nil) {
        self.timescale = timescale
        self.mediaTime = mediaTime
        self.delay = delay
        self.movieDuration = movieDuration
    }

    /// Creates the timing that an edit list specifies.
    ///
    /// - Parameters:
    ///   - editList: the edit list; nil if the track has none.
    ///   - trackID: the ID of the track, for the error.
    ///   - movieTimescale: the timescale of the edits' durations, in units per second.
    ///   - timescale: the timescale of the media, in units per second.
    /// - Throws: `ParseError` `not-supported` if the list presents several separate ranges of media, or has a rate other than 1.
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
        var isInterrupted = false
        for entry in entries {
            if entry.mediaTime == nil {
                // An empty edit after the media only extends the duration of the track.
                if edit != nil {
                    isInterrupted = true
                } else {
                    let (sum, overflow) = empty.addingReportingOverflow(entry.segmentDuration)
                    guard !overflow, sum < 1 << 62 else { throw unsupported("the delay is too large") }
                    empty = sum
                }
                continue
            }
            guard entry.mediaRate == 0x0001_0000 else {
                throw unsupported("a media rate other than 1 is not supported")
            }
            guard let previous = edit else {
                edit = entry
                continue
            }
            guard !isInterrupted, Self.continues(previous, entry, movieTimescale, timescale) else {
                throw unsupported("presenting several separate ranges of the media is not supported")
            }
            let (duration, overflow) = previous.segmentDuration.addingReportingOverflow(entry.segmentDuration)
            guard !overflow else { throw unsupported("the duration is too large") }
            edit?.segmentDuration = entry.segmentDuration == 0 ? 0 : duration
        }
        guard let edit, let time = edit.mediaTime else { throw unsupported("the edit list presents no media") }
        guard time >= 0, time < 1 << 61 else { throw unsupported("the media time \(time) is out of range") }
        let product = empty.multipliedFullWidth(by: UInt64(timescale))
        let divisor = UInt64(movieTimescale)
        guard divisor > 0, product.high < divisor else { throw unsupported("the delay is too large") }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        guard quotient < 1 << 61 else { throw unsupported("the delay is too large") }
        self.init(
            timescale: timescale,
            mediaTime: UInt64(time),
            delay: quotient + (remainder >= divisor - remainder ? 1 : 0),
            movieDuration: edit.segmentDuration == 0 ? nil : edit.segmentDuration
        )
    }

    /// Returns whether an edit presents the media that follow another edit, within one unit of each timescale: some
    /// editors split an edit without moving anything.
    private static func continues(
        _ edit: EditListBox.Entry,
        _ next: EditListBox.Entry,
        _ movieTimescale: UInt32,
        _ timescale: UInt32
    ) -> Bool {
        guard let start = edit.mediaTime, let nextStart = next.mediaTime, edit.segmentDuration > 0, movieTimescale > 0
        else { return false }
        let distance = Double(nextStart) - Double(start)
        let expected = Double(edit.segmentDuration) * Double(timescale) / Double(movieTimescale)
        return abs(distance - expected) <= 1 + Double(timescale) / Double(movieTimescale)
    }

    /// Returns an edit list with this timing; nil if none is required.
    ///
    /// - Parameters:
    ///   - movieTimescale: the timescale of the edits' durations in the new file, in units per second.
    ///   - isFragmented: whether the new file is fragmented, so that the list does not limit the duration.
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
