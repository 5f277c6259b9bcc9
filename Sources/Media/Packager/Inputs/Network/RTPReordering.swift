/// Puts RTP packets of one sender in order, and drops duplicates. A value type without I/O.
///
/// A packet that is missing is waited for until ``window`` later packets or ``maximumWait`` have passed; then it is lost.
/// A sender that starts again, or another one, is followed after two packets in sequence (RFC 3550, appendix A.1).
struct RTPReordering: Sendable {
    /// The maximum number of packets that wait for a missing one.
    static let window = 64
    /// The maximum time for which packets wait for a missing one.
    static let maximumWait = Duration.milliseconds(100)
    /// The distance of sequence numbers from which on a packet is not a later one of the same sequence: MAX_DROPOUT.
    private static let maximumDropout = 3000
    /// The distance of sequence numbers up to which an earlier packet is a late one or a duplicate: MAX_MISORDER.
    private static let maximumMisorder = 100

    private var source: UInt32?
    /// The number of the next packet.
    private var next: UInt16 = 0
    private var waiting: [UInt16: [UInt8]] = [:]
    /// The time since which packets wait for the next one.
    private var waitingSince: ContinuousClock.Instant?
    /// A packet of another sequence, which is followed if the next one of it comes first.
    private var candidate: RTPPacket?
    /// The number of packets that did not arrive in time.
    private(set) var lostCount = 0
    /// The number of datagrams that are not RTP packets with a transport stream, or not of the sequence.
    private(set) var invalidCount = 0

    /// The time at which ``expire(at:)`` gives up waiting; nil if no packet waits.
    var deadline: ContinuousClock.Instant? { waitingSince?.advanced(by: Self.maximumWait) }

    /// Adds a datagram, and returns the payloads that are now in order.
    mutating func add(_ datagram: [UInt8], at now: ContinuousClock.Instant) -> [[UInt8]] {
        guard let packet = RTPPacket(parsing: datagram) else {
            invalidCount += 1
            return []
        }
        if source == nil { (source, next) = (packet.source, packet.number) }
        if packet.source == source {
            let distance = Int(packet.number &- next)
            let isLate = distance > Int(UInt16.max) - Self.maximumMisorder
            if isLate || distance < Self.maximumDropout {
                dropCandidate()
                return isLate ? [] : insert(packet, at: now)
            }
        }
        guard let first = candidate, first.source == packet.source, first.number &+ 1 == packet.number else {
            dropCandidate()
            candidate = packet
            return []
        }
        candidate = nil
        let payloads = flush()
        (source, next) = (first.source, first.number)
        return payloads + insert(first, at: now) + insert(packet, at: now)
    }

    /// Returns the payloads that have waited for too long for a missing packet, which is then lost.
    mutating func expire(at now: ContinuousClock.Instant) -> [[UInt8]] {
        guard let deadline, now >= deadline else { return [] }
        let payloads = skip()
        waitingSince = waiting.isEmpty ? nil : now
        return payloads
    }

    private mutating func dropCandidate() {
        if candidate != nil { invalidCount += 1 }
        candidate = nil
    }

    private mutating func insert(_ packet: RTPPacket, at now: ContinuousClock.Instant) -> [[UInt8]] {
        waiting[packet.number] = packet.payload
        var payloads = takeInOrder()
        if waiting.count >= Self.window { payloads += skip() }
        if waiting.isEmpty {
            waitingSince = nil
        } else if !payloads.isEmpty || waitingSince == nil {
            waitingSince = now
        }
        return payloads
    }

    /// Returns all payloads that wait; the packets between them are lost.
    private mutating func flush() -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while !waiting.isEmpty { payloads += skip() }
        waitingSince = nil
        return payloads
    }

    private mutating func skip() -> [[UInt8]] {
        guard let nearest = waiting.keys.min(by: { $0 &- next < $1 &- next }) else { return [] }
        lostCount += Int(nearest &- next)
        next = nearest
        return takeInOrder()
    }

    private mutating func takeInOrder() -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while let payload = waiting.removeValue(forKey: next) {
            payloads.append(payload)
            next &+= 1
        }
        return payloads
    }
}
