import MediaFormats

/// The payloads of a segment's PES packets, one after the other: what differs between video and audio.
///
/// It is a value, so that a copy can be run through first to count packets.
protocol TransportPayloads {
    /// Goes on to the next PES packet.
    ///
    /// - Returns: What its header says; nil after the last.
    mutating func next() throws -> TransportUnit?

    /// Writes as much of its payload as there is room for.
    mutating func write(
        with packetizer: inout TransportPacketizer,
        into output: inout MutableRawSpan,
        at offset: inout Int
    )

    /// The time line, as far as it has come.
    var timeline: TransportTimeline { get }
}

/// A PES packet that is about to be written.
struct TransportUnit: Sendable {
    /// The size of its payload in bytes.
    var size: Int
    /// Whether the size stands in the header, as it has to for audio.
    var hasLength: Bool
    /// When it is presented and decoded.
    var times: TransportTimeline.Times
    /// How long it lasts, in units of 1/90,000 second.
    var duration: Int64
    /// Whether decoding can start with it.
    var isRandomAccess: Bool
    /// When it is presented, if it is a key frame of video.
    var keyFrame: MediaTime?

    /// The header.
    func header(streamID: UInt8) -> PESHeader {
        PESHeader(
            streamID: streamID,
            payloadLength: hasLength ? size : nil,
            presentationTime: TransportTimeline.wrapped(times.presentation),
            decodeTime: times.decode == times.presentation ? nil : TransportTimeline.wrapped(times.decode)
        )
    }
}
