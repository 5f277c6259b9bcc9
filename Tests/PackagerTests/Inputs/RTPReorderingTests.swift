import Testing

@testable import Packager

/// RTP packets with one byte as payload.
enum RTPFixture {
    static func packet(_ number: Int, type: UInt8 = 33, source: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
        [0x80, type, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] + [0, 0, 0, 0]
            + [0, 0, 0, source] + payload
    }
}

@Suite("The order of RTP packets")
struct RTPReorderingTests {
    private let now = ContinuousClock.now

    /// Adds packets whose payload is the low byte of their number, and returns the payloads in order.
    private func add(_ numbers: [Int], source: UInt8 = 1, to reordering: inout RTPReordering) -> [UInt8] {
        numbers.flatMap { number in
            reordering.add(
                RTPFixture.packet(number, source: source, [UInt8(truncatingIfNeeded: number)]),
                at: now
            ).flatMap(\.self)
        }
    }

    @Test("is restored, also where numbers wrap around, and duplicates are dropped")
    func order() {
        var reordering = RTPReordering()
        let payloads = add([65_534, 65_535, 1, 0, 0, 3, 2, 2, 4], to: &reordering)
        #expect(payloads == [254, 255, 0, 1, 2, 3, 4])
        #expect(reordering.lostCount == 0 && reordering.invalidCount == 0 && reordering.deadline == nil)
    }

    @Test("a missing packet is waited for within the window, then counted as lost")
    func window() {
        var reordering = RTPReordering()
        #expect(add([10], to: &reordering) == [10])
        #expect(add(Array(13..<12 + RTPReordering.window), to: &reordering) == [])
        #expect(reordering.lostCount == 0)
        let payloads = add([12 + RTPReordering.window], to: &reordering)
        #expect(payloads.count == RTPReordering.window && payloads.first == 13 && reordering.lostCount == 2)
        // Too late.
        #expect(add([11], to: &reordering) == [] && reordering.lostCount == 2)
    }

    @Test("a missing packet is waited for until the time limit")
    func time() {
        var reordering = RTPReordering()
        #expect(add([1, 3, 6], to: &reordering) == [1])
        let limit = RTPReordering.maximumWait
        #expect(reordering.deadline == now + limit)
        #expect(reordering.expire(at: now + limit - .milliseconds(1)) == [])
        #expect(reordering.expire(at: now + limit) == [[3]] && reordering.lostCount == 1)
        // The next gap has a time limit of its own.
        #expect(reordering.deadline == now + limit + limit)
        #expect(reordering.expire(at: now + limit + limit) == [[6]] && reordering.lostCount == 3)
        #expect(reordering.deadline == nil && reordering.expire(at: now + .seconds(9)) == [])
    }

    @Test("a sender that starts again is followed after two packets in sequence", arguments: [9000, 4000, 100])
    func restart(number: Int) {
        var reordering = RTPReordering()
        #expect(add([5000, 5001, 5003], to: &reordering) == [0x88, 0x89])
        #expect(add([number], to: &reordering) == [])
        let low = UInt8(truncatingIfNeeded: number)
        #expect(add([number + 1, number + 2], to: &reordering) == [0x8B, low, low + 1, low + 2])
        #expect(reordering.lostCount == 1 && reordering.invalidCount == 0)
    }

    @Test("another sender is followed after two packets in sequence")
    func sender() {
        var reordering = RTPReordering()
        #expect(add([5], to: &reordering) == [5])
        #expect(add([6], source: 2, to: &reordering) == [])
        // A single packet of another sender changes nothing.
        #expect(add([6], to: &reordering) == [6] && reordering.invalidCount == 1)
        #expect(add([7], source: 2, to: &reordering) == [])
        #expect(add([8, 9], source: 2, to: &reordering) == [7, 8, 9])
        #expect(reordering.lostCount == 0 && reordering.invalidCount == 1)
    }

    @Test("late packets and duplicates do not start another sequence")
    func late() {
        var reordering = RTPReordering()
        #expect(add([200, 201], to: &reordering).count == 2)
        #expect(add(Array(102..<202), to: &reordering) == [])
        #expect(add([202], to: &reordering) == [202] && reordering.invalidCount == 0)
    }

    @Test("extensions and padding are removed, and other datagrams are counted")
    func headers() {
        var extended = RTPFixture.packet(1, [0, 0, 0, 9] + [0, 0, 0, 1] + [5, 5, 5, 5] + [7, 8, 0, 0, 3])
        // One contributing source, an extension of four bytes, three bytes of padding.
        extended[0] = 0x80 | 0x20 | 0x10 | 1
        #expect(RTPPacket(parsing: extended)?.payload == [7, 8])
        // No truncated packet has the last byte, which is the size of the padding.
        for count in 0..<24 { #expect(RTPPacket(parsing: Array(extended[..<count])) == nil, "\(count) bytes") }
        var reordering = RTPReordering()
        let others = [
            [], RTPFixture.packet(2, type: 96, [1]), [0x47] + RTPFixture.packet(2, [1]),
            // The padding is larger than the packet.
            [0xA0] + RTPFixture.packet(2, [200]).dropFirst(),
        ]
        for datagram in others { #expect(reordering.add(datagram, at: now) == []) }
        #expect(reordering.invalidCount == others.count)
    }
}
