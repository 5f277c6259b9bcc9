import MediaFormats

/// The payloads of a segment's PES packets: the part of a transport stream that differs between video and audio.
///
/// A value type, so that a copy can be iterated to count packets in advance.
protocol TransportPayloads {
    /// Advances to the next PES packet.
    ///
    /// - Returns: Its header fields; nil after the last packet.
    mutating func next() throws -> TransportUnit?

    /// Writes as much of the payload as fits in the output.
    mutating func write(
        with packetizer: inout TransportPacketizer,
        into output: inout MutableRawSpan,
        at offset: inout Int
    )

    /// The timeline up to the current packet.
    var timeline: TransportTimeline { get }
}

/// A PES packet to be written.
struct TransportUnit: Sendable {
    /// The size of its payload in bytes.
    var size: Int
    /// True if the header contains the size, as required for audio.
    var hasLength: Bool
    /// The presentation time and the decode time.
    var times: TransportTimeline.Times
    /// The duration in units of 1/90,000 second.
    var duration: Int64
    /// True if decoding can start with this packet.
    var isRandomAccess: Bool
    /// The presentation time of a video key frame; nil for other packets.
    var keyFrame: RationalTime?

    /// Returns the PES header.
    func header(streamID: UInt8) -> PESHeader {
        PESHeader(
            streamID: streamID,
            payloadLength: hasLength ? size : nil,
            presentationTime: TransportTimeline.wrapped(times.presentation),
            decodeTime: times.decode == times.presentation ? nil : TransportTimeline.wrapped(times.decode)
        )
    }
}
