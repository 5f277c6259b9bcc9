import ByteCoding

extension TransportDemuxer {
    /// An elementary stream of the program.
    struct Stream {
        let pid: UInt16
        var header: PESHeader?
        /// The size of the payload in bytes, which ``header`` specifies, or the maximum integer if it does not; nil
        /// without a header. A separate property, because access through the optional is slow.
        var payloadLength: Int?
        var payload: [UInt8] = []
        var offset = 0
        var isRandomAccess = false
        var isDamaged = false
        var mapCount = 0
        var counter: UInt8?
        /// True if the packets contain sections instead of PES packets.
        var hasSections = false
        var sections = SectionAssembler()
        /// The range of the payload of the last transport packet in the bytes that are being read, to recognize a
        /// duplicate; nil if ``lastPayload`` contains it.
        var lastRange: Range<Int>?
        /// The payload of the last transport packet in the bytes that were read before.
        var lastPayload: [UInt8] = []
        var unwrapper = TimestampUnwrapper()

        /// Returns whether the timestamps go back or jump by more than a second at a packet. If the counter jumps there
        /// too, another stream was joined, and no packet is lost.
        func jumps(at packet: PESHeader) -> Bool {
            guard let time = packet.decodeTime ?? packet.presentationTime, let step = unwrapper.step(to: time) else {
                return false
            }
            return !(0...90_000).contains(step)
        }

        /// Compares the continuity counter of the next transport packet with the expected one.
        @inline(__always)
        mutating func advance(
            to header: TransportPacketHeader,
            _ bytes: RawSpan,
            _ range: Range<Int>
        ) -> Continuity {
            var isLost = false
            if let last = counter, !header.isDiscontinuity {
                // Packets can be duplicated (2.4.3.3). After a splice the counter can be the same by chance.
                if header.continuityCounter == last, isLast(bytes, range) { return .repeated }
                isLost = header.continuityCounter != (last + 1) & 15
                if isLost { isDamaged = true }
            }
            counter = header.continuityCounter
            lastRange = range
            return isLost ? .lost : .next
        }

        /// Returns whether a payload is equal to that of the last transport packet.
        private func isLast(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
            bytes.withUnsafeBytes { bytes in
                lastRange.map { bytes[$0].elementsEqual(bytes[range]) } ?? lastPayload.elementsEqual(bytes[range])
            }
        }

        /// Copies the payload of the last transport packet from bytes that will not be available later.
        mutating func keepLastPayload(of bytes: RawSpan) {
            guard let range = lastRange else { return }
            lastRange = nil
            lastPayload.removeAll(keepingCapacity: true)
            bytes.extracting(range).withUnsafeBytes { lastPayload.append(contentsOf: $0) }
        }

        @inline(__always)
        mutating func append(_ bytes: RawSpan, _ range: Range<Int>) {
            bytes.extracting(range).withUnsafeBytes { payload.append(contentsOf: $0) }
        }
    }

    /// The relation of a transport packet to the one before it in its stream.
    enum Continuity {
        case next
        /// The packet is a duplicate.
        case repeated
        /// Packets before it were lost.
        case lost
    }
}
