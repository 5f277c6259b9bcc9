import ByteCoding
import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Closed captions")
struct ClosedCaptionTests {
    typealias Construct = ClosedCaptionData.Construct

    /// A pair with odd parity, which CEA-608 has.
    private static func pair(_ type: UInt8, _ first: UInt8, _ second: UInt8) -> Construct {
        func parity(_ byte: UInt8) -> UInt8 { byte.nonzeroBitCount.isMultiple(of: 2) ? byte | 0x80 : byte }
        return Construct(type: type, first: parity(first), second: parity(second))
    }

    /// An SEI NAL unit of H.264 with caption data (ATSC A/72, 6.4.2).
    private static func message(_ constructs: [Construct]) -> [UInt8] {
        let data = constructs.flatMap { [0xF8 | ($0.isValid ? 4 : 0) | $0.type, $0.first, $0.second] }
        let payload: [UInt8] =
            [0xB5, 0x00, 0x31] + Array("GA94".utf8) + [3, 0xC0 | UInt8(constructs.count), 0xFF] + data + [0xFF]
        return [0x06, 4, UInt8(payload.count)] + payload + [0x80]
    }

    /// Null pairs with parity: padding between captions.
    private static let padding = [pair(0, 0, 0), Construct(isValid: false, type: 2, first: 0, second: 0)]

    private static func video(_ constructs: [Construct]?) throws -> TestTrack {
        var video = try TestTrack.clip("h264-aac.mp4")
        guard let constructs else { return video }
        let unit = message(constructs)
        video.change { _, bytes in [0, 0, 0, UInt8(unit.count)] + unit + bytes }
        return video
    }

    private static func captions(_ constructs: [Construct]) throws -> ClosedCaptions {
        var scanner = try #require(ClosedCaptionScanner(video(nil).track))
        scanner.scan(try video(constructs).samples)
        return scanner.captions
    }

    @Test("are found by the commands of CEA-608 and the services of CEA-708")
    func channels() throws {
        // Resume caption loading on channel 1, roll-up on channel 2, end of caption in field 2.
        #expect(try Self.captions([Self.pair(0, 0x14, 0x20)]).channels == ["CC1"])
        #expect(try Self.captions([Self.pair(0, 0x1C, 0x25)]).channels == ["CC2"])
        #expect(try Self.captions([Self.pair(1, 0x15, 0x2F), Self.pair(1, 0x1D, 0x29)]).channels == ["CC3", "CC4"])
        // Characters alone, extended data services, and padding are not captions.
        for pair in [Self.pair(0, 0x41, 0x42), Self.pair(1, 0x01, 0x03), Self.pair(0, 0, 0)] {
            let found = try Self.captions([pair])
            #expect(found.isPresent && found.channels == [])
        }
        // A packet of 8 bytes with service 1 (3 bytes) and service 63 in the extended header.
        let packet: [UInt8] = [0x04, 0x23, 0x41, 0x42, 0x43, 0xE1, 0x3F, 0x44]
        let constructs = stride(from: 0, to: 8, by: 2).map {
            Construct(type: $0 == 0 ? 3 : 2, first: packet[$0], second: packet[$0 + 1])
        }
        #expect(try Self.captions(constructs).channels == ["SERVICE1", "SERVICE63"])
        #expect(try Self.captions(constructs).declared == ["SERVICE1", "SERVICE63"])
        #expect(try Self.captions(constructs + [Self.pair(0, 0x14, 0x20)]).declared == ["CC1"])
    }

    @Test("in damaged messages are ignored", arguments: 0..<40)
    func damage(length: Int) throws {
        let unit = Self.message([Self.pair(0, 0x14, 0x20)])
        var captions = ClosedCaptions()
        let part = Array(unit.prefix(length))
        let messages = try? SEIMessage.messages(part.span.bytes, headerSize: 1)
        for case .closedCaptions(let data) in messages ?? [] { captions.add(data) }
        #expect(captions.channels.isSubset(of: ["CC1"]))
    }

    @Test("are declared as a rendition, and on the variants that have them")
    func declared() throws {
        let folder = try ScratchFolder()
        var video = try Self.video([Self.pair(0, 0x14, 0x20), Self.pair(1, 0x15, 0x20)])
        video.track.language = "eng"
        let packaged = try Packaged([try video.save("news.mp4", in: folder)], in: folder)
        #expect(
            try packaged.text("main.m3u8").split(separator: "\n").filter { $0.contains("TYPE=CLOSED-CAPTIONS") } == [
                "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",LANGUAGE=\"en\",NAME=\"English (CC1)\","
                    + "DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID=\"CC1\"",
                "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",LANGUAGE=\"und\",NAME=\"CC3\",DEFAULT=NO,AUTOSELECT=NO,"
                    + "INSTREAM-ID=\"CC3\"",
            ]
        )
        #expect(packaged.main.variants.map(\.closedCaptions) == [.group("captions")])
        #expect(packaged.main.version == nil)
    }

    @Test("of CEA-708 alone require version 7 of the playlist")
    func services() throws {
        let folder = try ScratchFolder()
        let video = try Self.video([
            Construct(type: 3, first: 0x02, second: 0x21), Construct(type: 2, first: 0x41, second: 0),
        ])
        let packaged = try Packaged([try video.save("news.mp4", in: folder)], in: folder)
        #expect(packaged.main.renditions.map(\.instreamID) == ["SERVICE1"])
        #expect(packaged.main.version == 7)
    }

    @Test("are declared absent on all variants if no video has caption data")
    func none() throws {
        let folder = try ScratchFolder()
        let clear = try Self.video(nil).save("film.mp4", in: folder)
        let packaged = try Packaged([clear, try PipelineFixture.path("film.mp4")], in: folder)
        #expect(packaged.main.variants.count == 2)
        #expect(packaged.main.variants.allSatisfy { $0.closedCaptions == StreamInfTag.ClosedCaptions.none })
        // With nothing but padding in one of them, captions may follow.
        let other = try ScratchFolder()
        let padded = try Self.video(Self.padding).save("padded.mp4", in: other)
        let both = try Packaged([try Self.video(nil).save("film.mp4", in: other), padded], in: other)
        #expect(both.main.variants.map(\.closedCaptions) == [nil, nil])
    }
}
