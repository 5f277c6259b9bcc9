/// EXTINF: the duration of a Media Segment (section 4.4.4.1).
///
///     #EXTINF:<duration>,[<title>]
///
///     duration   decimal integer or decimal floating point, seconds
///     title      the rest of the line
///
/// In practice, the comma is often missing when there is no title. The missing comma is reported, but the duration is
/// used, as players do.
enum InfTag {
    /// Parses the value. The range of the title is empty when there is none.
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
        context.report(.malformedTagValue, at: offset, "EXTINF: expected a duration in seconds and a comma")
        return nil
    }

    static func write(_ duration: Double, _ title: String, to playlist: inout PlaylistWriter) {
        guard duration >= 0, let text = Decimal.text(InfTag.rounded(duration)) else {
            return playlist.fail(.malformedTagValue, "EXTINF: the duration must be a finite number of at least 0")
        }
        let isWhole = !text.utf8.contains(UInt8(ascii: "."))
        playlist.tag(.inf, text + (isWhole && playlist.marksExactDurations ? ".0," : ",") + title)
    }

    /// Returns the duration rounded to microseconds. This is more precise than any player needs, and removes the
    /// rounding errors of floating-point numbers.
    private static func rounded(_ duration: Double) -> Double {
        duration < 1e9 ? (duration * 1e6).rounded() / 1e6 : duration
    }
}
