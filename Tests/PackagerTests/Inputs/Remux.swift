import ByteCoding
import Foundation
import MediaFormats
import Packager

/// The PES packets of a clip, which can be modified and written to a transport stream again.
struct Remux {
    struct Packet {
        var pid: UInt16
        var presentation: Int64?
        var decode: Int64?
        var payload: [UInt8]
    }

    var packets: [Packet] = []
    var streams: [ProgramMapTable.Stream] = []

    /// Demuxes a clip.
    init(_ name: String) throws {
        var demuxer = TransportDemuxer()
        var packets: [Packet] = []
        func take(_ packet: TransportDemuxer.Packet) {
            packets.append(
                Packet(
                    pid: packet.pid,
                    presentation: packet.presentationTime,
                    decode: packet.decodeTime,
                    payload: packet.payload
                )
            )
        }
        let bytes = try Clip.bytes(name)
        try demuxer.feed(bytes.span.bytes, take)
        try demuxer.finish(take)
        self.packets = packets
        streams = demuxer.programMap?.streams ?? []
    }

    init(packets: [Packet], streams: [ProgramMapTable.Stream]) {
        self.packets = packets
        self.streams = streams
    }

    static let video: UInt16 = 0x100
    static let audio: UInt16 = 0x101

    /// Returns the transport stream.
    func bytes() -> [UInt8] {
        var muxer = TransportMuxer()
        muxer.writeSection(ProgramAssociationTable(programs: [(1, 0x1000)]).bytes, pid: 0)
        muxer.writeSection(ProgramMapTable(pcrPID: 0x100, streams: streams).bytes, pid: 0x1000)
        for packet in packets {
            let header = PESHeader(
                streamID: packet.pid == Self.video ? 0xE0 : 0xC0,
                payloadLength: packet.pid == Self.video ? nil : packet.payload.count,
                presentationTime: packet.presentation.map { UInt64(truncatingIfNeeded: $0) & 0x1_FFFF_FFFF },
                decodeTime: packet.decode.map { UInt64(truncatingIfNeeded: $0) & 0x1_FFFF_FFFF }
            )
            muxer.writePES(header, payload: packet.payload.span.bytes, pid: packet.pid)
        }
        return muxer.bytes
    }

    func open(limits: TransportStreamInput.Limits = .init()) throws -> TransportStreamInput {
        try TransportStreamInput(Pieces(bytes()), limits: limits)
    }

    /// Shifts the timestamps of packets.
    mutating func shift(by distance: Int64, where isMoved: (Int, Packet) -> Bool = { _, _ in true }) {
        for index in packets.indices where isMoved(index, packets[index]) {
            packets[index].presentation = packets[index].presentation.map { $0 + distance }
            packets[index].decode = packets[index].decode.map { $0 + distance }
        }
    }
}

extension Remux {
    /// Writes the transport stream to a file.
    func save(_ path: String) throws { try Data(bytes()).write(to: URL(fileURLWithPath: path)) }
}
