import ByteCoding

/// EXTINF: the duration of a Media Segment (section 4.4.4.1).
///
///     #EXTINF:<duration>,[<title>]
///
///     duration   decimal integer or decimal floating point, seconds
///     title      the rest of the line
///
/// In practice, the comma is often missing when there is no title, and Apple's segmenter writes a tab after it. Both are
/// reported, and the duration is used, as players do.
enum InfTag {
    /// Parses the value. The range of the title is empty when there is none.
    @inline(__always)
    static func read(_ context: ReadingContext, _ bytes: RawSpan, _ value: Range<Int>) -> (
        duration: Double, title: Range<Int>
    )? {
        var position = value.lowerBound
        let end = value.upperBound
        guard let duration = Decimal.number(bytes, &position, end), position < end,
            bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: ",")
        else { return loose(context, bytes, value) }
        position += 1
        if position < end,
            bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == 0x09
                || bytes.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self) == 0x09
        {
            return (duration, context.source.withoutBlanks(position..<end))
        }
        return (duration, position..<end)
    }

    /// Parses a value that does not match the grammar. Returns nil if it has no duration.
    @inline(never)
    private static func loose(
        _ context: ReadingContext,
        _ bytes: RawSpan,
        _ value: Range<Int>
    ) -> (duration: Double, title: Range<Int>)? {
        let bytes = context.source.bytes
        let comma = bytes[value].firstIndex(of: UInt8(ascii: ","))
        let written = value.lowerBound..<(comma ?? value.upperBound)
        let trimmed = context.source.withoutBlanks(written)
        var position = trimmed.lowerBound
        guard let duration = Decimal.number(bytes.span.bytes, &position, trimmed.upperBound) else {
            context.report(
                .malformedTagValue,
                at: trimmed.lowerBound,
                "EXTINF: expected a duration in seconds and a comma"
            )
            return nil
        }
        if position < trimmed.upperBound {
            context.report(.malformedTagValue, at: position, "EXTINF: expected a comma after the duration")
        } else {
            context.reportBlanks(of: .inf, written, trimmed)
        }
        guard let comma else {
            if position == trimmed.upperBound {
                context.report(.missingComma, at: position, "EXTINF: the comma after the duration is missing")
            }
            return (duration, value.upperBound..<value.upperBound)
        }
        return (duration, context.source.withoutBlanks(comma + 1..<value.upperBound))
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
