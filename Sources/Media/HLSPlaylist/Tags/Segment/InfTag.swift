/// EXTINF: how long a media segment is (section 4.4.4.1).
///
///     #EXTINF:<duration>,[<title>]
///
///     duration   decimal integer or decimal floating point, seconds
///     title      the rest of the line
///
/// The comma is often missing in practice when there is no title. That is reported, and the duration used, as players
/// do.
enum InfTag {
    /// Reads the value. The title's range is empty when there is none.
    @inline(__always)
    static func read(_ context: ReadingContext, _ bytes: RawSpan, _ value: Range<Int>) -> (
        duration: Double, title: Range<Int>
    )? {
        var position = value.lowerBound
        let end = value.upperBound
        guard let duration = Decimal.number(bytes, &position, end) else { return malformed(context, value.lowerBound) }
        if position == end {
            context.report(.malformedTagValue, at: end, "EXTINF: the comma after the duration is missing")
            return (duration, end..<end)
        }
        guard bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: ",") else {
            return malformed(context, position)
        }
        return (duration, position + 1..<end)
    }

    @inline(never)
    private static func malformed(_ context: ReadingContext, _ offset: Int) -> (duration: Double, title: Range<Int>)? {
        context.report(.malformedTagValue, at: offset, "EXTINF: expected a duration in seconds, then a comma")
        return nil
    }

    static func write(_ duration: Double, _ title: String, to playlist: inout PlaylistWriter) {
        guard duration >= 0, let text = Decimal.text(InfTag.rounded(duration)) else {
            return playlist.fail(.malformedTagValue, "EXTINF: a duration must be a number of at least 0")
        }
        let isWhole = !text.utf8.contains(UInt8(ascii: "."))
        playlist.tag(.inf, text + (isWhole && playlist.marksExactDurations ? ".0," : ",") + title)
    }

    /// Microseconds are more than any player needs, and keep the noise of binary fractions out of playlists.
    private static func rounded(_ duration: Double) -> Double {
        duration < 1e9 ? (duration * 1e6).rounded() / 1e6 : duration
    }
}
