import HLSPlaylist
import MediaFormats
import Testing

@testable import Packager

@Suite("Purpose of audio in a transport stream")
struct AudioPurposeTests {
    private static func purpose(_ descriptors: [(UInt8, [UInt8])]) -> AudioPurpose {
        AudioPurpose(descriptors.map { TransportDescriptor(tag: $0.0, content: $0.1) })
    }

    private static let english = Array("eng".utf8)

    /// ISO/IEC 13818-1, Table 2-60; ETSI EN 300 468, D.3 and D.5; ATSC A/52, Table 5.7.
    @Test(
        "follows from the language descriptor and the AC-3 descriptors",
        arguments: [
            (0x0A, english + [0], nil), (0x0A, english + [2], .enhancedAudioIntelligibility),
            (0x0A, english + [3], .description), (0x0A, english, nil),
            (0x6A, [0x80, 0b0001_0010], .description), (0x7A, [0x80, 0b1001_1010], .enhancedAudioIntelligibility),
            (0x7A, [0x80, 0b1110_1010], .commentary), (0x6A, [0x80, 0b0100_0010], nil),
            (0x6A, [0x00, 0b0001_0010], nil),
            (0x81, [0x08, 0x28, 0b0100_0101], .description), (0x81, [0x08, 0x28, 0b0000_0101], nil),
            (0x81, [0x08], nil),
        ] as [(UInt8, [UInt8], TrackRole?)]
    )
    func roles(tag: UInt8, content: [UInt8], role: TrackRole?) {
        #expect(Self.purpose([(tag, content)]).role == role)
    }

    /// ETSI EN 300 468, 6.4.11: mix_type, editorial_classification, reserved, language_code_present.
    @Test("follows from the supplementary audio descriptor of DVB, which takes precedence")
    func supplementary() {
        let broadcast = Self.purpose([(0x7F, [0x06, 0b0000_0111] + Array("Deu".utf8))])
        #expect(broadcast.role == .description && broadcast.isMixedByReceiver && broadcast.language == "deu")
        let complete = Self.purpose([(0x0A, Self.english + [2]), (0x7F, [0x06, 0b1000_0110])])
        #expect(complete.role == .description && !complete.isMixedByReceiver && complete.language == nil)
        #expect(Self.purpose([(0x7F, [0x06, 0b1000_1010])]).role == .enhancedAudioIntelligibility)
        #expect(Self.purpose([(0x7F, [0x06, 0b1000_0010])]).role == nil)
        #expect(Self.purpose([(0x7F, [0x06])]).role == nil && Self.purpose([(0x7F, [0x15, 4])]).role == nil)
    }

    @Test("becomes the role of the rendition, unless the job specifies one")
    func renditions() throws {
        let folder = try ScratchFolder()
        var remux = try Remux("h264-aac.ts")
        let description = ProgramMapTable.Stream(
            type: .aac,
            pid: 0x102,
            descriptors: [TransportDescriptor(tag: 0x0A, content: Self.english + [3])]
        )
        remux.streams[1].descriptors = [TransportDescriptor(tag: 0x0A, content: Self.english + [0])]
        remux.packets = remux.packets.flatMap { packet -> [Remux.Packet] in
            guard packet.pid == Remux.audio else { return [packet] }
            var copy = packet
            copy.pid = 0x102
            return [packet, copy]
        }
        remux.streams.append(description)
        let path = folder.path + "/broadcast.ts"
        try remux.save(path)
        let packaged = try Packaged([path], in: folder)
        let audio = packaged.main.renditions
        #expect(audio.map(\.name) == ["English", "English (audio description)"])
        #expect(audio.map(\.language) == ["en", "en"])
        #expect(audio.map(\.characteristics) == [[], ["public.accessibility.describes-video"]])
        #expect(audio.map(\.isDefault) == [true, false] && audio.map(\.autoselects) == [true, true])
        let manifest = try packaged.text("main.mpd")
        #expect(manifest.contains(#"<Role schemeIdUri="urn:mpeg:dash:role:2011" value="description"/>"#))
    }

    @Test("of audio for listeners with impaired hearing is signaled in HLS and DASH")
    func clearSpeech() throws {
        let folder = try ScratchFolder()
        var remux = try Remux("h264-aac.ts")
        remux.streams[1].descriptors = [TransportDescriptor(tag: 0x0A, content: Self.english + [2])]
        let path = folder.path + "/broadcast.ts"
        try remux.save(path)
        let packaged = try Packaged([path], in: folder)
        #expect(packaged.main.renditions[0].characteristics == ["public.accessibility.enhances-speech-intelligibility"])
        let manifest = try packaged.text("main.mpd")
        #expect(manifest.contains(#"value="enhanced-audio-intelligibility""#))
        #expect(manifest.contains(#"schemeIdUri="urn:tva:metadata:cs:AudioPurposeCS:2007" value="2""#))
    }
}
