import ByteCoding

/// EXT-X-PROGRAM-DATE-TIME: the date and time of the first sample of a Media Segment (section 4.4.4.6).
///
///     #EXT-X-PROGRAM-DATE-TIME:<date-time>      the grammar of ``PlaylistDate``
enum ProgramDateTimeTag {
    @inline(__always)
    static func read(_ context: ReadingContext, _ bytes: RawSpan, _ value: Range<Int>) -> PlaylistDate? {
        PlaylistDate(bytes, value) ?? loose(context, value)
    }

    /// Parses a value that does not match the grammar. Returns nil if it is not a date.
    @inline(never)
    private static func loose(_ context: ReadingContext, _ value: Range<Int>) -> PlaylistDate? {
        let bytes = context.source.bytes
        let trimmed = context.source.withoutBlanks(value)
        if let date = PlaylistDate(bytes.span.bytes, trimmed) {
            context.reportBlanks(of: .programDateTime, value, trimmed)
            return date
        }
        context.report(
            .malformedTagValue,
            at: trimmed.lowerBound,
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
