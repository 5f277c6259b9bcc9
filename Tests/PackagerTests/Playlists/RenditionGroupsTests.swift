import HLSPlaylist
import Testing

@testable import Packager

@Suite("Groups of renditions")
struct RenditionGroupsTests {
    @Test("have one codec each and the same members")
    func fill() throws {
        let playlists = try PresentationPlaylists(
            [
                try Renditions.video(),
                try Renditions.video("video-720", width: 1280, height: 720, sizes: [900_000, 1_000_000, 800_000]),
                Renditions.audio(),
                Renditions.audio("audio-de", name: "Deutsch", language: "ger"),
                Renditions.audio("audio-en-2", format: .enhancedAC3, codecs: "ec-3", channels: "16/JOC"),
            ],
            options: PlaylistOptions()
        )
        try playlists.check()
        let multivariant = playlists.multivariant
        #expect(
            multivariant.renditions.map { "\($0.groupID) \($0.language ?? "-") \($0.uri ?? "") \($0.channels ?? "")" }
                == [
                    "audio-aac en audio-en/media.m3u8 2",
                    "audio-aac de audio-de/media.m3u8 2",
                    "audio-ec3 en audio-en-2/media.m3u8 16/JOC",
                    "audio-ec3 de audio-de/media.m3u8 2",
                ]
        )
        #expect(
            multivariant.variants.map { "\($0.uri) \($0.streamInf.audio ?? "") \($0.codecs.joined(separator: " "))" }
                == [
                    "video-1080/media.m3u8 audio-aac avc1.4d401f mp4a.40.2",
                    "video-720/media.m3u8 audio-aac avc1.4d401f mp4a.40.2",
                    "video-1080/media.m3u8 audio-ec3 avc1.4d401f ec-3 mp4a.40.2",
                    "video-720/media.m3u8 audio-ec3 avc1.4d401f ec-3 mp4a.40.2",
                ]
        )
    }

    @Test("add the largest member to a variant's bandwidth")
    func bandwidth() throws {
        let playlists = try PresentationPlaylists(
            [
                try Renditions.video(sizes: [3_003_000, 3_003_000]),
                Renditions.audio(sizes: [60_160, 60_160]),
                Renditions.audio("audio-de", name: "Deutsch", language: "de", sizes: [120_320, 120_320]),
            ],
            options: PlaylistOptions()
        )
        // 3,003,000 bytes in 6.006 s are 4,000,000 bit/s; 120,320 bytes in 6.016 s are 160,000.
        #expect(playlists.multivariant.variants.map(\.bandwidth) == [4_160_000])
        #expect(playlists.multivariant.variants.map(\.averageBandwidth) == [4_160_000])
    }

    @Test("signal the roles of renditions")
    func roles() throws {
        let playlists = try PresentationPlaylists(
            [
                try Renditions.video(),
                Renditions.audio("audio-1", name: "Audio description", role: "description"),
                Renditions.audio("audio-2", role: "main"),
                Renditions.audio("audio-3", name: "Commentary", role: "commentary"),
                Renditions.subtitles("subtitles-en", name: "English", language: "en", role: "caption"),
                Renditions.subtitles("subtitles-de", name: "Deutsch", language: "de"),
                Renditions.subtitles(
                    "subtitles-de-2",
                    name: "Deutsch (forced)",
                    language: "de",
                    role: "forced-subtitle"
                ),
            ],
            options: PlaylistOptions()
        )
        try playlists.check()
        let tags = playlists.multivariant.renditions
        #expect(tags.map { $0.isDefault == true } == [false, true, false, false, false, false])
        #expect(tags.map { $0.autoselects == true } == [true, true, false, true, true, true])
        #expect(tags.map(\.characteristics)[0] == ["public.accessibility.describes-video"])
        #expect(tags.map(\.characteristics)[3].contains("public.accessibility.transcribes-spoken-dialog"))
        #expect(tags.map(\.isForced) == [nil, nil, nil, nil, nil, true])
        #expect(playlists.multivariant.variants.map(\.streamInf.subtitles) == ["subtitles"])
    }

    @Test("separate renditions with the same attributes, and names are unique")
    func duplicates() throws {
        let playlists = try PresentationPlaylists(
            [
                try Renditions.video(),
                Renditions.audio(),
                Renditions.audio("audio-en-2", sizes: [200_000, 200_000, 200_000]),
                Renditions.audio("audio-fr", name: "English", language: "fr"),
            ],
            options: PlaylistOptions()
        )
        try playlists.check()
        let tags = playlists.multivariant.renditions
        #expect(tags.map(\.groupID) == ["audio-aac", "audio-aac", "audio-aac-2", "audio-aac-2"])
        #expect(tags.map(\.name) == ["English", "English (2)", "English", "English (2)"])
    }

    @Test("with given names keep them, and are rejected if they mix codecs")
    func named() throws {
        let stereo = Renditions.audio(group: "stereo")
        let surround = Renditions.audio("a", group: "surround", format: .ac3, codecs: "ac-3", channels: "6")
        let groups = try RenditionGroups([stereo, surround], prefix: "audio")
        #expect(groups.groups.map(\.id) == ["stereo", "surround"])
        let mixed = Renditions.audio(
            "b",
            name: "Deutsch",
            language: "de",
            group: "stereo",
            format: .ac3,
            codecs: "ac-3"
        )
        #expect(throws: JobFailure.self) { try RenditionGroups([stereo, mixed], prefix: "audio") }
    }
}
