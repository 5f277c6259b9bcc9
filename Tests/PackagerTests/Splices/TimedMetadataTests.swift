import ByteCoding
import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Timed metadata")
struct TimedMetadataTests {
    private static let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 1, 2, 3]

    private static func package(
        _ container: PackagingJob.Container,
        isDamaged: Bool = false
    ) throws -> (events: [String: [EventMessageBox]], warnings: [String]) {
        let scratch = try ScratchFolder()
        var remux = try Remux("h264-aac.ts")
        remux.streams.append(.init(type: .metadata, pid: 0x113))
        let first = try #require(remux.packets.first { $0.pid == Remux.video }?.presentation)
        let index = try #require(
            remux.packets.firstIndex { $0.pid == Remux.video && ($0.decode ?? 0) > first + 90_000 }
        )
        let packet = Remux.Packet(
            pid: 0x113,
            presentation: first + 117_000,
            decode: nil,
            payload: isDamaged ? [1, 2, 3] : tag
        )
        remux.packets.insert(packet, at: index)
        try remux.save(scratch.path + "/film.ts")
        var job = PackagingJob(inputs: [.init(path: scratch.path + "/film.ts")], output: scratch.path + "/out")
        job.segmentDuration = RationalTime(1, timescale: 1)
        job.container = container
        let report = try PipelineFixture.package(job)
        var events: [String: [EventMessageBox]] = [:]
        for name in scratch.files("out") where name.hasSuffix(".m4s") {
            let bytes = try scratch.bytes("out/" + name)
            var start = 0
            while start + 8 <= bytes.count {
                let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                if bytes[start + 4..<start + 8].elementsEqual("emsg".utf8) {
                    let content = Array(bytes[start + 8..<start + size])
                    var reader = ByteReader(content.span.bytes)
                    events[name, default: []].append(try EventMessageBox(reading: &reader))
                }
                start += max(8, size)
            }
        }
        return (events, report.warnings)
    }

    @Test("ID3 tags are events in the segment of video that contains their time")
    func events() throws {
        let (events, warnings) = try Self.package(.fmp4)
        #expect(warnings == [] && events.keys.sorted() == ["video-48/2.m4s"])
        let event = try #require(events["video-48/2.m4s"]?.first)
        #expect(event.schemeIDURI == "https://aomedia.org/emsg/ID3" && event.messageData == Self.tag)
        guard case .absolute(let time) = event.time else {
            Issue.record("the event has a relative time")
            return
        }
        // The audio starts 4180 units before the video.
        #expect(Double(time) / Double(event.timescale) == (117_000 + 4180) / 90_000.0)
    }

    @Test("what is left out is reported")
    func omissions() throws {
        let streams = try Self.package(.ts)
        #expect(streams.warnings.contains { $0.contains("1 ID3 tag") }, "\(streams.warnings)")
        let damaged = try Self.package(.fmp4, isDamaged: true)
        #expect(damaged.events.isEmpty && damaged.warnings.contains { $0.contains("1 packet") }, "\(damaged.warnings)")
    }
}
