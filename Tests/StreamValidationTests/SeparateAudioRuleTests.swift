import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("Rules about audio apart from video")
struct SeparateAudioRuleTests {
    private static func has(_ rule: String, _ made: MadePresentation) throws -> Bool {
        try made.findings().contains(rule)
    }

    /// A presentation whose variants contain audio too.
    private static func muxed(_ main: String) -> MadePresentation {
        var made = MadePresentation(main: main)
        made.changeSegment = { name, _, segment in
            guard name != "audio.m3u8" else { return }
            segment.tracks.append(TrackMeasurement(id: 2, format: MadePresentation.audioFormat))
        }
        return made
    }

    @Test("Audio in CODECS is in the segments, or in a group to which the variant refers")
    func undeclared() throws {
        #expect(try !Self.has("must audio-undeclared", MadePresentation()))
        let main = MadePresentation.main.replacing(",AUDIO=\"a\"\n", with: "\n")
        #expect(try Self.has("must audio-undeclared", MadePresentation(main: main)))
        #expect(try !Self.has("must audio-undeclared", Self.muxed(main)))
        let silent = MadePresentation(main: main.replacing(",mp4a.40.2", with: ""))
        #expect(try !Self.has("must audio-undeclared", silent))
        var unknown = MadePresentation(main: main)
        unknown.changeSegment = { _, _, segment in
            let format = TrackFormat(kind: .other, container: .mp4, sampleEntry: "Opus")
            segment.tracks.append(TrackMeasurement(id: 2, format: format))
        }
        #expect(try !Self.has("must audio-undeclared", unknown), "it can be audio")
    }

    @Test("The segments of angles contain no audio")
    func angles() throws {
        let angles =
            "#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID=\"v\",NAME=\"Front\"\n"
            + "#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID=\"v\",NAME=\"Side\",URI=\"side.m3u8\"\n"
        let main = MadePresentation.main.replacing("AUDIO=\"a\"\n", with: "AUDIO=\"a\",VIDEO=\"v\"\n")
            .replacing("#EXT-X-MEDIA", with: angles + "#EXT-X-MEDIA", maxReplacements: 1)
        #expect(try Self.has("must angles-with-audio", Self.muxed(main)))
        #expect(try !Self.has("must angles-with-audio", MadePresentation(main: main)))
        #expect(try !Self.has("must angles-with-audio", Self.muxed(MadePresentation.main)), "one angle")
    }

    @Test("xHE-AAC, ALAC, FLAC and APAC are in MP4", arguments: ["mp4a.40.42", "alac", "fLaC", "apac.31.00"])
    func containers(codec: String) throws {
        func made(_ codec: String, _ container: TrackFormat.Container) -> MadePresentation {
            var made = MadePresentation(main: MadePresentation.main.replacing("mp4a.40.2", with: codec))
            made.change = { _, _, track in
                if track.format.kind == .audio { (track.format.container, track.format.codecs) = (container, codec) }
            }
            return made
        }
        #expect(try Self.has("must audio-not-in-movie", made(codec, .packedAudio)))
        #expect(try Self.has("must audio-not-in-movie", made(codec, .transportStream)))
        #expect(try !Self.has("must audio-not-in-movie", made(codec, .mp4)))
        #expect(try !Self.has("must audio-not-in-movie", made("mp4a.40.2", .packedAudio)))
    }

    @Test("The views of video change only at a discontinuity, or with two sample entries")
    func views() throws {
        func made(_ list: [String]) -> MadePresentation {
            var made = MadePresentation()
            made.playlists["high.m3u8"] = MadePresentation.media("", segments: list)
            made.change = { name, index, track in track.format.details.isStereo = name == "high.m3u8" && index >= 2 }
            return made
        }
        let map = "#EXT-X-MAP:URI=\"stereo.mp4\"\n"
        #expect(try Self.has("must format-changes", made(["", "", map, ""])))
        #expect(try !Self.has("must format-changes", made(["", "", "#EXT-X-DISCONTINUITY\n" + map, ""])))
        #expect(try !Self.has("must format-changes", made(["", "", "", ""])))
    }
}
