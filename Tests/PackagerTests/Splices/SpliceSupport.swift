import ByteCoding
import Foundation
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

/// A transport stream of any duration with commands of SCTE 35: 10 pictures per second, a key frame each half second.
struct SpliceFilm {
    /// A command, and the time in the film, in seconds, before which it is sent.
    struct Command {
        var sent: Double
        var section: [UInt8]
    }

    static let pid: UInt16 = 0x102
    /// The timestamp of the first picture, 33 bits.
    var start: Int64 = 900_000
    var seconds = 10
    var commands: [Command] = []

    /// Adds a command for a time in the film, in seconds.
    mutating func add(
        _ command: (UInt64) -> SpliceCommand,
        _ descriptors: [SpliceDescriptor] = [],
        at time: Double,
        sent: Double,
        adjustment: UInt64 = 0
    ) {
        let stamp = UInt64(start + Int64(time * 90_000)) &- adjustment & 0x1_FFFF_FFFF
        let section = SpliceInfoSection(adjustment: adjustment, command: command(stamp), descriptors: descriptors)
        commands.append(Command(sent: sent, section: section.bytes))
    }

    /// Adds the start or the end of a break.
    mutating func addInsert(
        _ id: UInt32,
        isOut: Bool,
        at time: Double,
        sent: Double,
        duration: Double? = nil,
        isAutomaticReturn: Bool = false
    ) {
        let length = duration.map {
            SpliceInsert.BreakDuration(UInt64($0 * 90_000), isAutomaticReturn: isAutomaticReturn)
        }
        let command = { (time: UInt64) in
            SpliceCommand.insert(SpliceInsert(eventID: id, event: .init(isOut: isOut, time: time, duration: length)))
        }
        add(command, at: time, sent: sent)
    }

    func bytes() throws -> [UInt8] {
        let clip = try Remux("h264-aac.ts")
        let video = Remux.video
        let first = try #require(clip.packets.first { $0.pid == video }?.presentation)
        let cycle: Int64 = 180_000
        var packets: [Remux.Packet] = []
        for number in 0..<seconds / 2 {
            for var packet in clip.packets where packet.pid == video {
                let shift = start - first + Int64(number) * cycle
                packet.presentation = packet.presentation.map { $0 + shift }
                packet.decode = packet.decode.map { $0 + shift }
                packets.append(packet)
            }
        }
        // The audio is repeated without a gap: the duration of a packet is the time to the next one.
        let audio = clip.packets.filter { $0.pid == Remux.audio }
        var time = start
        while time < start + Int64(seconds) * 90_000 {
            for (var packet, next) in zip(audio, audio.dropFirst()) where time < start + Int64(seconds) * 90_000 {
                let duration = (next.presentation ?? 0) - (packet.presentation ?? 0)
                (packet.presentation, packet.decode) = (time, packet.decode.map { _ in time })
                packets.append(packet)
                time += duration
            }
        }
        packets.sort { ($0.decode ?? $0.presentation ?? 0, $0.pid) < ($1.decode ?? $1.presentation ?? 0, $1.pid) }
        return write(packets, clip.streams)
    }

    private func write(_ packets: [Remux.Packet], _ streams: [ProgramMapTable.Stream]) -> [UInt8] {
        var muxer = TransportMuxer()
        muxer.writeSection(ProgramAssociationTable(programs: [(1, 0x1000)]).bytes, pid: 0)
        let map = ProgramMapTable(
            pcrPID: 0x100,
            descriptors: [.init(tag: TransportDescriptor.registration, content: Array("CUEI".utf8))],
            streams: streams + [.init(type: .splices, pid: Self.pid)]
        )
        muxer.writeSection(map.bytes, pid: 0x1000)
        var rest = commands.sorted { $0.sent < $1.sent }[...]
        for packet in packets {
            let time = packet.decode ?? packet.presentation ?? 0
            while let command = rest.first, Double(time - start) / 90_000 >= command.sent {
                muxer.writeSection(command.section, pid: Self.pid)
                rest.removeFirst()
            }
            let header = PESHeader(
                streamID: packet.pid == Remux.video ? 0xE0 : 0xC0,
                payloadLength: packet.pid == Remux.video ? nil : packet.payload.count,
                presentationTime: packet.presentation.map { UInt64(truncatingIfNeeded: $0) & 0x1_FFFF_FFFF },
                decodeTime: packet.decode.map { UInt64(truncatingIfNeeded: $0) & 0x1_FFFF_FFFF }
            )
            muxer.writePES(header, payload: packet.payload.span.bytes, pid: packet.pid)
        }
        return muxer.bytes
    }

    func save(_ path: String) throws -> String {
        try Data(bytes()).write(to: URL(fileURLWithPath: path))
        return path
    }
}

extension MediaPlaylist {
    /// The start of each segment in seconds after the first date, from the durations.
    var starts: [Double] {
        var time = 0.0
        return segments.map { segment in
            defer { time += segment.duration }
            return (time * 1000).rounded() / 1000
        }
    }
}
