import ByteCoding
import MediaFormats

/// Finds NAL units in a byte stream that arrives in arbitrary chunks (ITU-T H.264 and H.265, Annex B).
///
/// A NAL unit ends where the next start code begins. No byte is scanned more than once.
struct NALUnitScanner {
    /// The maximum size of a NAL unit in bytes: 64 MiB, as for a PES packet.
    static let maximumUnitSize = 64 << 20

    /// The bytes that have not been discarded.
    private(set) var bytes: [UInt8] = []
    /// The offset of the first of ``bytes`` in the elementary stream.
    private(set) var base = 0
    /// The index in ``bytes`` at which the current NAL unit starts; nil before the first start code.
    private var begin: Int?
    private var scanned = 0

    /// The offset in the elementary stream of the next byte to append.
    var end: Int { base + bytes.count }

    /// Appends the next bytes of the stream.
    mutating func append(_ more: [UInt8]) {
        // Bytes before the current NAL unit have been returned. Its start code is kept, because its offset is needed.
        let done = max(0, begin.map { $0 - 4 } ?? scanned - 1)
        if done == bytes.count {
            bytes = more
        } else {
            bytes.removeFirst(done)
            bytes += more
        }
        base += done
        scanned -= done
        begin = begin.map { $0 - done }
    }

    /// Returns the range in ``bytes`` of the next complete NAL unit; nil if more bytes are needed.
    ///
    /// - Parameter isEnd: Whether the stream has ended.
    mutating func next(isEnd: Bool = false) -> Range<Int>? {
        while true {
            let code = StartCode.next(in: bytes.span.bytes, from: scanned)
            guard code != nil || isEnd else {
                // The last two bytes may be the beginning of a start code.
                scanned = max(scanned, bytes.count - 2)
                return nil
            }
            let start = begin
            var end = code ?? bytes.count
            begin = code.map { $0 + 3 }
            scanned = begin ?? bytes.count
            if let start {
                while end > start, bytes[end - 1] == 0 { end -= 1 }
                if end > start { return start..<end }
            }
            guard code != nil else { return nil }
        }
    }

    /// Returns the offset in the elementary stream of the start code before a NAL unit that starts an access unit; such
    /// a start code has 4 bytes (B.1.2).
    func startCode(of unit: Range<Int>) -> Int {
        let start = unit.lowerBound - 3
        return base + start - (start > 0 && bytes[start - 1] == 0 ? 1 : 0)
    }

    /// True if the current NAL unit exceeds ``maximumUnitSize``.
    var exceedsMaximumSize: Bool { bytes.count > Self.maximumUnitSize }
}
