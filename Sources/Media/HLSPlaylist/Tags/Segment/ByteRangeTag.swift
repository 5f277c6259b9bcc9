/// EXT-X-BYTERANGE: the byte range of a Media Segment in its resource (section 4.4.4.2).
///
///     #EXT-X-BYTERANGE:<length>[@<offset>]
enum ByteRangeTag {
    static func read(_ context: ReadingContext, _ value: Range<Int>) -> ByteRange? {
        if let range = ByteRange(context.source.bytes, value) { return range }
        context.report(
            .malformedTagValue,
            at: value.lowerBound,
            "EXT-X-BYTERANGE: the value does not have the form length[@offset]"
        )
        // White space and quotation marks do not change the meaning.
        let visible = context.source.bytes[value].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x22 }
        return ByteRange(visible, 0..<visible.count)
    }

    static func write(_ range: ByteRange, to playlist: inout PlaylistWriter) { playlist.tag(.byteRange, range.text) }
}
