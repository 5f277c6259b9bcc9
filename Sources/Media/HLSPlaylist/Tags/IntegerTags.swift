import ByteCoding

/// The tags whose value is one decimal integer.
///
///     #EXT-X-VERSION:<n>                          section 4.4.1.2
///     #EXT-X-TARGETDURATION:<seconds>             section 4.4.3.1
///     #EXT-X-MEDIA-SEQUENCE:<number>              section 4.4.3.2
///     #EXT-X-DISCONTINUITY-SEQUENCE:<number>      section 4.4.3.3
///     #EXT-X-BITRATE:<kilobits per second>        section 4.4.4.8
enum IntegerTag {
    /// Parses the value. A value that is not an integer below 2^64 is reported. If it begins with a number, the number is
    /// used, as players do: a Target Duration is rounded up, so that no segment exceeds it, and others are rounded down.
    static func read(_ context: ReadingContext, _ name: TagName, _ value: Range<Int>) -> UInt64? {
        if let number = Decimal.integer(context.source.bytes, value) { return number }
        let trimmed = context.source.withoutBlanks(value)
        if let number = Decimal.integer(context.source.bytes, trimmed) {
            context.reportBlanks(of: name, value, trimmed)
            return number
        }
        context.report(
            .malformedTagValue,
            at: trimmed.lowerBound,
            "\(name.rawValue): the value is not a decimal integer below 2^64"
        )
        let bytes = context.source.bytes
        var position = trimmed.lowerBound
        guard let number = Decimal.integer(bytes.span.bytes, &position, trimmed.upperBound) else { return nil }
        let fraction = bytes[position..<trimmed.upperBound]
        guard name == .targetDuration, fraction.first == UInt8(ascii: "."), number < .max else { return number }
        return fraction.contains { (0x31...0x39).contains($0) } ? number + 1 : number
    }

    static func write(_ name: TagName, _ value: UInt64, to playlist: inout PlaylistWriter) {
        playlist.tag(name, String(value))
    }
}
