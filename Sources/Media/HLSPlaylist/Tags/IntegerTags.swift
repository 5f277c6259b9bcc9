/// The tags whose value is one decimal integer.
///
///     #EXT-X-VERSION:<n>                          section 4.4.1.2
///     #EXT-X-TARGETDURATION:<seconds>             section 4.4.3.1
///     #EXT-X-MEDIA-SEQUENCE:<number>              section 4.4.3.2
///     #EXT-X-DISCONTINUITY-SEQUENCE:<number>      section 4.4.3.3
///     #EXT-X-BITRATE:<kilobits per second>        section 4.4.4.8
enum IntegerTag {
    /// Parses the value. If it is not an integer below 2^64, reports it and returns nil.
    static func read(_ context: ReadingContext, _ name: TagName, _ value: Range<Int>) -> UInt64? {
        if let number = Decimal.integer(context.source.bytes, value) { return number }
        context.report(
            .malformedTagValue,
            at: value.lowerBound,
            "\(name.rawValue): the value is not a decimal integer below 2^64"
        )
        return nil
    }

    static func write(_ name: TagName, _ value: UInt64, to playlist: inout PlaylistWriter) {
        playlist.tag(name, String(value))
    }
}
