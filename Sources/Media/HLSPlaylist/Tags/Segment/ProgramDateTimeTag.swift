/// EXT-X-PROGRAM-DATE-TIME: the date and time of the first sample of a Media Segment (section 4.4.4.6).
///
///     #EXT-X-PROGRAM-DATE-TIME:<date-time>      the grammar of ``PlaylistDate``
enum ProgramDateTimeTag {
    @inline(__always)
    static func read(_ context: ReadingContext, _ bytes: RawSpan, _ value: Range<Int>) -> PlaylistDate? {
        if let date = PlaylistDate(bytes, value) { return date }
        context.report(
            .malformedTagValue,
            at: value.lowerBound,
            "EXT-X-PROGRAM-DATE-TIME: the value is not an ISO 8601 date and time"
        )
        return nil
    }

    static func write(_ date: PlaylistDate, to playlist: inout PlaylistWriter) {
        if !date.isWritable {
            playlist.fail(.malformedTagValue, "EXT-X-PROGRAM-DATE-TIME: the date is not in the years 0 to 9999")
        }
        playlist.tag(.programDateTime, date.text)
    }
}
