/// An X-TIMESTAMP-MAP header: the mapping of a cue time to a media time (RFC 8216bis, 3.1.4).
///
///     X-TIMESTAMP-MAP=MPEGTS:<number>,LOCAL:<timestamp>      the parts in either order
public struct WebVTTTimestampMap: Hashable, Sendable {
    /// The media time in units of 1/90,000 second, 33 bits. It wraps around like MPEG-2 timestamps.
    public var mpegTS: UInt64
    /// The cue time that corresponds to ``mpegTS``, in milliseconds.
    public var local: Int64

    /// Creates a map. Only the lower 33 bits of `mpegTS` are used. `local` must not be negative.
    public init(mpegTS: UInt64, local: Int64 = 0) {
        self.mpegTS = mpegTS & (1 << 33 - 1)
        self.local = max(local, 0)
    }

    /// Parses a header line. Returns nil if the line is not an X-TIMESTAMP-MAP or lacks one of the parts.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        let name = Array("X-TIMESTAMP-MAP=".utf8)
        guard bytes[line].starts(with: name) else { return nil }
        var mpegTS: UInt64?
        var local: Int64?
        for part in bytes[line].dropFirst(name.count).split(separator: UInt8(ascii: ",")) {
            if part.starts(with: "MPEGTS:".utf8) {
                mpegTS = UInt64(String(decoding: part.dropFirst("MPEGTS:".utf8.count), as: UTF8.self))
            } else if part.starts(with: "LOCAL:".utf8) {
                var position = part.startIndex + "LOCAL:".utf8.count
                local = WebVTTTimestamp.read(bytes, &position, end: part.endIndex)
            }
        }
        guard let mpegTS, let local else { return nil }
        self.init(mpegTS: mpegTS, local: local)
    }

    func write(to text: inout [UInt8]) {
        text.append(contentsOf: "X-TIMESTAMP-MAP=MPEGTS:\(mpegTS),LOCAL:".utf8)
        WebVTTTimestamp.write(local, to: &text)
        text.append(UInt8(ascii: "\n"))
    }
}
