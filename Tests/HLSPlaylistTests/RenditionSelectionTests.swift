import HLSPlaylist
import Testing

@Suite("Rendition selection")
struct RenditionSelectionTests {
    static let series = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,URI="en",GROUP-ID="a",LANGUAGE="en",NAME="English",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="en-ad",GROUP-ID="a",LANGUAGE="en",NAME="English AD",AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="de",GROUP-ID="a",LANGUAGE="de",NAME="Deutsch",AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="de-6",GROUP-ID="a",LANGUAGE="de",NAME="Deutsch 5.1",AUTOSELECT=YES,CHANNELS="6"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="de-new",GROUP-ID="a",LANGUAGE="de",NAME="Deutsch neu",AUTOSELECT=YES,CHANNELS="8/-/HOLOGRAM"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="pt",GROUP-ID="a",LANGUAGE="pt-BR",NAME="Português",AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="nb",GROUP-ID="a",LANGUAGE="nb",ASSOC-LANGUAGE="no",NAME="Norsk",AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=AUDIO,URI="fr",GROUP-ID="a",LANGUAGE="fr",NAME="Commentaire",AUTOSELECT=NO,CHANNELS="2"
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="s-en",GROUP-ID="s",LANGUAGE="en",NAME="English",AUTOSELECT=YES
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="s-en-sdh",GROUP-ID="s",LANGUAGE="en",NAME="English SDH",AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-music-and-sound"
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="s-it",GROUP-ID="s",LANGUAGE="it",NAME="Italiano",AUTOSELECT=YES
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="s-hu",GROUP-ID="s",LANGUAGE="hu",NAME="Magyar",AUTOSELECT=NO
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="f-de",GROUP-ID="s",LANGUAGE="de",NAME="Deutsch (forciert)",AUTOSELECT=YES,FORCED=YES
        #EXT-X-MEDIA:TYPE=SUBTITLES,URI="f-en",GROUP-ID="s",LANGUAGE="en",NAME="English (forced)",AUTOSELECT=YES,FORCED=YES
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",LANGUAGE="en",NAME="CC",INSTREAM-ID="CC1"
        #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="v",NAME="Main"
        #EXT-X-MEDIA:TYPE=VIDEO,URI="cam",GROUP-ID="v",NAME="Camera 2",DEFAULT=YES
        #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.4D401E,mp4a.40.2",RESOLUTION=640x360,AUDIO="a",VIDEO="v",SUBTITLES="s",CLOSED-CAPTIONS="c"
        v.m3u8

        """

    private func select(
        _ preferences: RenditionPreferences,
        maximumChannels: UInt64? = nil,
        text: String = Self.series
    ) throws -> Selection {
        let abilities = PlayerCapabilities(codecs: .basic, maximumAudioChannels: maximumChannels)
        return VariantSelector(abilities, preferences: preferences)
            .select(from: try MultivariantPlaylist(parsing: Array(text.utf8)))
    }

    private func reason(_ selection: Selection, _ uri: String) -> RejectedRendition.Reason? {
        selection.rejectedRenditions.first { $0.rendition.uri == uri }?.reason
    }

    @Test("without preferences, the default renditions are selected")
    func defaults() throws {
        let selection = try select(RenditionPreferences())
        #expect(selection.renditions.map { $0.rendition.type } == [.video, .audio, .subtitles])
        #expect(selection.rendition(.audio)?.uri == "en")
        #expect(selection.renditions[1].reasons == [.isDefault])
        #expect(selection.rendition(.video)?.uri == "cam")
        #expect(reason(selection, "de") == .notDefault)
        #expect(reason(selection, "fr") == .notAutoselected)
        #expect(reason(selection, "s-en") == .notRequired)
        // Every rendition of the groups is either selected or rejected, exactly once.
        #expect(selection.renditions.count + selection.rejectedRenditions.count == 17)
        #expect(Set(selection.rejectedRenditions.map(\.rendition)).count == selection.rejectedRenditions.count)
    }

    @Test(
        "languages are matched by the lookup of RFC 4647",
        arguments: [
            (["de-AT"], "de-6"), (["DE"], "de-6"), (["ja", "de"], "de-6"), (["ja"], "en"), ([], "en"),
            (["de-x-dialect", "en"], "de-6"), (["no"], "nb"), (["no-NO"], "nb"), (["pt"], "pt"), (["pt-BR"], "pt"),
            (["pt-PT", "nb"], "nb"), (["e", "de"], "de-6"), (["*"], "en"), (["", "-", "nb"], "nb"),
            (["fr", "nb"], "nb"),
        ]
    )
    func languages(_ languages: [String], _ uri: String) throws {
        #expect(try select(RenditionPreferences(languages: languages)).rendition(.audio)?.uri == uri)
    }

    @Test("a choice of the user does not require AUTOSELECT")
    func userChoice() throws {
        let selection = try select(RenditionPreferences(languages: ["fr"], isUserChoice: true))
        #expect(selection.rendition(.audio)?.uri == "fr")
        #expect(selection.renditions.first { $0.rendition.uri == "fr" }?.reasons == [.language("fr")])
        #expect(reason(selection, "en") == .otherLanguage("en"))
    }

    @Test("preferred and other characteristics")
    func characteristics() throws {
        let described = try select(
            RenditionPreferences(languages: ["en"], characteristics: ["public.accessibility.describes-video"])
        )
        #expect(described.rendition(.audio)?.uri == "en-ad")
        #expect(reason(described, "en") == .fewerCharacteristics)
        let subtitles = try select(RenditionPreferences(languages: ["en"], subtitles: .on))
        #expect(subtitles.rendition(.subtitles)?.uri == "s-en")
        #expect(
            reason(subtitles, "s-en-sdh")
                == .otherCharacteristics(["public.accessibility.describes-music-and-sound"])
        )
    }

    @Test("recognized channels are preferred, then more channels up to the maximum")
    func channels() throws {
        let preferences = RenditionPreferences(languages: ["de"])
        var selection = try select(preferences)
        #expect(selection.rendition(.audio)?.uri == "de-6")
        #expect(reason(selection, "de-new") == .unrecognizedChannels("8/-/HOLOGRAM"))
        #expect(reason(selection, "de") == .fewerChannels)
        selection = try select(preferences, maximumChannels: 2)
        #expect(selection.rendition(.audio)?.uri == "de")
        #expect(reason(selection, "de-6") == .tooManyChannels(6, maximum: 2))
        // A rendition with unrecognized channels is selected if there is no other.
        let alone = Self.series.replacing(
            "LANGUAGE=\"pt-BR\",NAME=\"Português\",AUTOSELECT=YES,CHANNELS=\"2\"",
            with: "LANGUAGE=\"pt-BR\",NAME=\"Português\",AUTOSELECT=YES,CHANNELS=\"2/-/HOLOGRAM\""
        )
        #expect(try select(RenditionPreferences(languages: ["pt"]), text: alone).rendition(.audio)?.uri == "pt")
    }

    @Test("a variant whose audio has too many channels is rejected")
    func variantChannels() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,URI="2",GROUP-ID="stereo",NAME="A",CHANNELS="2"
            #EXT-X-MEDIA:TYPE=AUDIO,URI="6",GROUP-ID="surround",NAME="A",CHANNELS="6"
            #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="mp4a.40.2",AUDIO="stereo"
            stereo
            #EXT-X-STREAM-INF:BANDWIDTH=2,CODECS="mp4a.40.2",AUDIO="surround"
            surround

            """
        #expect(try select(RenditionPreferences(), text: text).variant?.uri == "surround")
        let selection = try select(RenditionPreferences(), maximumChannels: 2, text: text)
        #expect(selection.variant?.uri == "stereo")
        #expect(selection.rejected[0].reasons == [.audioChannels(group: "surround", fewest: 6, maximum: 2)])
        // It is selected only because it is the first: it has neither DEFAULT nor AUTOSELECT.
        #expect(selection.renditions.map(\.reasons) == [[.first]])
    }

    @Test(
        "subtitles",
        arguments: [
            // Forced subtitles in the language of the audio are selected unless full subtitles are.
            (RenditionPreferences.Subtitles.automatic, ["en"], nil, "f-en"), (.automatic, ["de"], nil, "f-de"),
            (.off, ["de"], nil, "f-de"), (.on, ["en"], nil, "s-en"), (.on, ["en"], ["it"], "s-it"),
            (.on, ["en"], ["hu"], "s-hu"),
            // The preferred language is Italian, which is not the language of the default audio.
            (.automatic, ["it"], nil, "s-it"), (.off, ["it"], nil, "f-en"), (.automatic, ["hu"], nil, "f-en"),
            (.automatic, [], nil, "f-en"), (.on, [], nil, "s-en"), (.on, ["nb"], nil, "s-en"), (.off, ["nb"], nil, nil),
        ] as [(RenditionPreferences.Subtitles, [String], [String]?, String?)]
    )
    func subtitles(_ mode: RenditionPreferences.Subtitles, _ languages: [String], _ text: [String]?, _ uri: String?)
        throws
    {
        let selection = try select(
            RenditionPreferences(languages: languages, subtitleLanguages: text, subtitles: mode)
        )
        #expect(selection.rendition(.subtitles)?.uri == uri)
        #expect(selection.rendition(.closedCaptions) == nil)
        #expect(selection.renditions.count + selection.rejectedRenditions.count == 17)
    }

    @Test("default subtitles are shown unless subtitles are turned off")
    func defaultSubtitles() throws {
        let text = Self.series.replacing("NAME=\"Italiano\",AUTOSELECT=YES", with: "NAME=\"Italiano\",DEFAULT=YES")
        let selection = try select(RenditionPreferences(), text: text)
        #expect(selection.rendition(.subtitles)?.uri == "s-it")
        #expect(reason(selection, "f-en") == .forced)
        #expect(try select(RenditionPreferences(languages: ["en"]), text: text).rendition(.subtitles)?.uri == "s-en")
        #expect(try select(RenditionPreferences(subtitles: .off), text: text).rendition(.subtitles)?.uri == "f-en")
    }

    @Test("closed captions replace subtitles in an unsupported format")
    func unsupportedText() throws {
        let text = Self.series.replacing("mp4a.40.2\"", with: "mp4a.40.2,stpp.ttml.im1t\"")
        let selection = try select(RenditionPreferences(languages: ["en"], subtitles: .on), text: text)
        #expect(selection.rendition(.subtitles) == nil)
        #expect(reason(selection, "s-en") == .formatsUnsupported([Codec("stpp.ttml.im1t")]))
        #expect(selection.rendition(.closedCaptions)?.name == "CC")
    }

    @Test("every reason has a description")
    func words() throws {
        let selection = try select(RenditionPreferences(languages: ["en"], subtitles: .on), maximumChannels: 6)
        for rejected in selection.rejectedRenditions { #expect(!rejected.reason.description.isEmpty) }
        #expect(reason(selection, "de-new")?.description == "it has 8 channels, but the player supports only 6")
        #expect(
            selection.renditions.flatMap(\.reasons).map(\.description).contains(
                "it matches the preferred language \"en\""
            )
        )
    }
}
