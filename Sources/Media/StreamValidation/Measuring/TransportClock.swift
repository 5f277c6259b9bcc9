import ByteCoding
import MediaFormats

/// The program clock references (PCR) of a segment of a transport stream (ISO/IEC 13818-1, 2.4.3.4 and 2.7.2). They are
/// clear in encrypted segments too.
public struct TransportClock: Hashable, Sendable {
    /// The number of references.
    public var count = 0
    /// The longest time between two successive references, in seconds.
    public var longestInterval = 0.0
    /// The longest time by which the data of an access unit arrive after they must be decoded, in seconds; negative or zero if
    /// all arrive in time.
    public var latestArrival = 0.0

    /// The longest time in seconds that is not a jump of the timestamps: the delay of a decoder's buffer is at most 10 s.
    private static let maximumLateness = 10.0

    /// Creates a description without references.
    public init() {}

    /// Reads the references of a segment. Packets that cannot be read are skipped.
    init(_ segment: RawSpan) {
        let size = TransportPacketHeader.packetSize
        var clockPID: UInt16?
        var now: UInt64?
        for offset in stride(from: 0, through: segment.byteCount - size, by: size) {
            // Other packets have neither a reference nor timestamps.
            let isUnitStart = segment.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self) & 0x40 != 0
            let hasAdaptation = segment.unsafeLoad(fromByteOffset: offset + 3, as: UInt8.self) & 0x20 != 0
            guard isUnitStart || hasAdaptation, let packet = try? TransportPacketHeader(segment, at: offset) else {
                continue
            }
            if let reference = packet.programClockReference, clockPID == nil || clockPID == packet.pid {
                clockPID = packet.pid
                count += 1
                if let now, !packet.isDiscontinuity {
                    longestInterval = max(longestInterval, Self.seconds(from: now / 300, to: reference / 300))
                }
                now = reference
            }
            guard isUnitStart, let now, let payload = packet.payload else { continue }
            var reader = ByteReader(
                segment.extracting(offset + payload.lowerBound..<offset + payload.upperBound),
                base: offset
            )
            guard let header = try? PESHeader(reading: &reader),
                let time = header.decodeTime ?? header.presentationTime
            else { continue }
            let lateness = Self.seconds(from: time, to: now / 300)
            // More is a jump of the timestamps.
            if lateness < Self.maximumLateness { latestArrival = max(latestArrival, lateness) }
        }
    }

    /// Returns the time between two timestamps of 33 bits, in units of 1/90,000 second, with wraparound.
    private static func seconds(from first: UInt64, to second: UInt64) -> Double {
        let period: UInt64 = 1 << 33
        let difference = (second &- first) % period
        let signed = difference < period / 2 ? Double(difference) : Double(difference) - Double(period)
        return signed / Double(MediaTime.transportTimescale)
    }
}
