import ContentKeySession
import HLSPlaylist
import StreamPlayer
import Testing

@testable import OfflineAssets

@Suite("Choice of variants and renditions", .timeLimit(.minutes(10)))
struct PresentationChoiceTests {
    private func choose(_ selection: BundleSelection) throws -> PresentationChoice {
        let bytes = try #require(Film.ladder().file("/main.m3u8"))
        return try PresentationChoice(
            selection,
            of: MultivariantPlaylist(parsing: bytes),
            url: "https://films.test/main.m3u8"
        )
    }

    private func names(_ choice: PresentationChoice) -> [String] {
        choice.variants.map(\.uri) + choice.renditions.compactMap(\.uri) + choice.iFrames.map(\.uri)
    }

    @Test func isTheBestVariantAndWhatPlaysByItselfUnlessSaidOtherwise() throws {
        #expect(names(try choose(BundleSelection())) == ["hd/v.m3u8?token=secret", "en/a.m3u8"])
    }

    @Test func isEverythingWhereThatIsSaid() throws {
        let all = ["sd/v.m3u8", "hd/v.m3u8?token=secret", "en/a.m3u8", "de/a.m3u8", "subs/en.m3u8", "sd/i.m3u8"]
        #expect(names(try choose(.all)) == all)
    }

    @Test(arguments: [
        VariantQualifier(maximumBandwidth: 1_000_000),
        VariantQualifier(maximumResolution: Resolution(width: 700, height: 400)),
        VariantQualifier(codec: "avc1.64001e"),
    ])
    func keepsWithinLimits(qualifier: VariantQualifier) throws {
        #expect(try choose(BundleSelection(variants: .each([qualifier]))).variants.map(\.uri) == ["sd/v.m3u8"])
    }

    @Test func takesSeveralVariantsInTheOrderOfThePlaylist() throws {
        let both = BundleSelection(variants: .each([VariantQualifier(), VariantQualifier(maximumBandwidth: 800_000)]))
        #expect(try choose(both).variants.map(\.bandwidth) == [800_000, 3_000_000])
    }

    @Test(arguments: [
        VariantQualifier(maximumBandwidth: 799_999),
        VariantQualifier(maximumResolution: Resolution(width: 10, height: 10)),
        VariantQualifier(codec: "hvc1"),
    ])
    func tellsWhatThereIsWhereNothingFits(qualifier: VariantQualifier) throws {
        let error = #expect(throws: DownloadError.self) { try choose(BundleSelection(variants: .each([qualifier]))) }
        #expect(error?.code == .noVariant)
        #expect(error?.reason.contains("640x360 800000 bit/s, 1280x720 3000000 bit/s") == true)
    }

    @Test func takesALanguageWithoutAutoselectAndKeepsTheAudioOfOtherGroups() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="a-en.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="a-de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="b-en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.64001e,mp4a.40.2",AUDIO="a"
            1.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.64001e,mp4a.40.2",AUDIO="b"
            2.m3u8

            """
        let playlist = try MultivariantPlaylist(parsing: Array(text.utf8))
        let german = BundleSelection(variants: .all, renditions: .languages(audio: ["de"], subtitles: []))
        let choice = try PresentationChoice(german, of: playlist, url: "https://films.test/main.m3u8")
        #expect(choice.renditions.compactMap(\.uri) == ["a-de.m3u8", "b-en.m3u8"])
    }

    @Test func takesARenditionForEachLanguage() throws {
        let both = BundleSelection(renditions: .languages(audio: ["de", "en-GB"], subtitles: ["en"]))
        #expect(try choose(both).renditions.compactMap(\.uri) == ["en/a.m3u8", "de/a.m3u8", "subs/en.m3u8"])
        let german = BundleSelection(renditions: .languages(audio: ["de"], subtitles: []))
        #expect(try choose(german).renditions.compactMap(\.uri) == ["de/a.m3u8"])
        let error = #expect(throws: DownloadError.self) {
            try choose(BundleSelection(renditions: .languages(audio: ["fr"], subtitles: [])))
        }
        #expect(error?.code == .noRendition)
    }

    @Test func takesWhatFitsQualifiers() throws {
        func uris(_ qualifiers: RenditionQualifier...) throws -> [String] {
            try choose(BundleSelection(renditions: .matching(qualifiers))).renditions.compactMap(\.uri)
        }
        #expect(try uris(RenditionQualifier(type: .subtitles)) == ["en/a.m3u8", "subs/en.m3u8"])
        #expect(try uris(RenditionQualifier(groupID: "a")) == ["en/a.m3u8", "de/a.m3u8"])
        #expect(try uris(RenditionQualifier(language: "EN")) == ["en/a.m3u8", "subs/en.m3u8"])
        #expect(throws: DownloadError.self) { try uris(RenditionQualifier(language: "e")) }
    }

    @Test func theLocalPlaylistNamesWhatWasChosenAndNothingElse() async throws {
        let site = Film.ladder()
        let stage = try DownloadStage(site, url: SiteTransport.address + "/main.m3u8")
        let bundle = try await stage.run()
        #expect(
            Files.text(bundle.mainPlaylist) == """
                #EXTM3U
                #EXT-X-VERSION:7
                # made by hand
                #EXT-X-SOMETHING-NEW:1
                #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://hd",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
                #EXT-X-MEDIA:TYPE=AUDIO,URI="audio-1.m3u8",GROUP-ID="a",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES
                #EXT-X-STREAM-INF:BANDWIDTH=3000000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a"
                variant-1.m3u8

                """
        )
        #expect(
            Files.names(bundle.folder).filter { !$0.hasPrefix("media") } == [
                "audio-1.m3u8", "bundle.json", "journal", "main.m3u8", "variant-1.m3u8",
            ]
        )
        #expect(!Files.text(bundle.mainPlaylist).contains("secret"))
    }

    @Test func iFramesShareTheFilesOfTheirVariant() async throws {
        var stage = try DownloadStage(Film.ladder(), url: SiteTransport.address + "/main.m3u8")
        stage.selection = .all
        let bundle = try await stage.run()
        #expect(bundle.description.resources.count == 4 * 4 + 3)
        #expect(Files.text(bundle.folder + "/i-frames-1.m3u8").contains("\nmedia/variant-1/"))
        #expect(bundle.description.keys == ["skd://sd", "skd://hd", "skd://audio"])
    }
}
