import TextCoding

/// An ID3 tag with a time (timed metadata).
package struct TimedMetadata: Sendable {
    /// The presentation time in the part.
    package var time: RationalTime
    /// The bytes of the tag, or of several.
    package var bytes: [UInt8]

    /// Creates metadata.
    package init(time: RationalTime, bytes: [UInt8]) {
        self.time = time
        self.bytes = bytes
    }

    /// The warning that tags were left out.
    static func warnings(dropped count: Int) -> [String] {
        count == 0
            ? []
            : [
                "\(counted(count, "ID3 tag")) left out: they are passed on in fragmented MP4, within the part in which they arrive"
            ]
    }
}
