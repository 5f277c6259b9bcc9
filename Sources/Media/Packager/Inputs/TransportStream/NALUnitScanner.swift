import ByteCoding
import MediaFormats

/// Finds NAL units in a byte stream that comes in pieces, which end anywhere (ITU-T H.264 and H.265, Annex B).
///
/// A NAL unit ends where the next start code begins. What was looked at is not looked at again.
struct NALUnitScanner {
    /// The greatest size of a NAL unit in bytes: 64 MiB, as of a PES packet.
    static let greatestUnit = 64 << 20

    /// What was not passed over yet.
    private(set) var bytes: [UInt8] = []
    /// Where the first of ``bytes`` lies in the elementary stream.
    private(set) var base = 0
    /// Where in ``bytes`` the open NAL unit begins; nil before the first start code.
    private var begin: Int?
    private var scanned = 0

    /// Where the stream goes on.
    var end: Int { base + bytes.count }

    /// Takes the next bytes of the stream.
    mutating func append(_ more: [UInt8]) {
        // What lies before the open NAL unit has been given away. Its start code is kept, since its place is asked for.
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

    /// The range in ``bytes`` of the next NAL unit that is complete; nil when more bytes are needed.
    ///
    /// - Parameter isEnd: Whether no more bytes come.
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

    /// Where in the elementary stream the start code of a NAL unit begins that begins an access unit: such a one has 4
    /// bytes (B.1.2).
    func startCode(of unit: Range<Int>) -> Int {
        let start = unit.lowerBound - 3
        return base + start - (start > 0 && bytes[start - 1] == 0 ? 1 : 0)
    }

    /// Whether a NAL unit is open that has grown beyond all measure.
    var isOverfull: Bool { bytes.count > Self.greatestUnit }
}
