import HLSPlaylist
import Testing

@Suite("Interstitials and JSON resources")
struct PresentationResourceTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let interstitial = Interstitial(
        asset: .list("ads.json"),
        resumeOffset: -1.5,
        playoutLimit: 30,
        snap: ["OUT", "IN"],
        restrictions: ["SKIP", "JUMP"],
        contentMayVary: false,
        occupiesRange: true,
        isStyledAsPrimary: true,
        skipControlOffset: 5,
        skipControlDuration: 10,
        skipControlLabelID: "skip"
    )

    @Test("an interstitial is written with all its attributes and read again")
    func interstitial() throws {
        var tag = DateRangeTag(id: "ad", startDate: PlaylistDate(seconds: 1_767_225_600), cue: [.pre, .once])
        tag.otherAttributes = [Attribute(name: "X-COM-ID", value: "7", isQuoted: true)]
        tag.interstitial = Self.interstitial
        var playlist = MediaPlaylist(targetDuration: 6, segments: [MediaSegment(uri: "a.ts", duration: 6)])
        playlist.segments[0].dateRanges = [tag]
        let text = Self.text(try playlist.write())
        let attributes = [
            "ID=\"ad\",CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-01-01T00:00:00.000Z\",CUE=\"PRE,ONCE\"",
            "X-ASSET-LIST=\"ads.json\",X-RESUME-OFFSET=-1.5,X-PLAYOUT-LIMIT=30,X-SNAP=\"OUT,IN\"",
            "X-RESTRICT=\"SKIP,JUMP\",X-CONTENT-MAY-VARY=\"NO\",X-TIMELINE-OCCUPIES=\"RANGE\"",
            "X-TIMELINE-STYLE=\"PRIMARY\",X-SKIP-CONTROL-OFFSET=5,X-SKIP-CONTROL-DURATION=10",
            "X-SKIP-CONTROL-LABEL-ID=\"skip\",X-COM-ID=\"7\"",
        ]
        #expect(text.contains("#EXT-X-DATERANGE:\(attributes.joined(separator: ","))\n"))
        let read = try MediaPlaylist(parsing: Array(text.utf8))
        #expect(read == playlist && read.segments[0].dateRanges[0].interstitial == Self.interstitial)
    }

    @Test("an interstitial is replaced and removed, and other attributes stay")
    func replacement() {
        var tag = DateRangeTag(id: "ad", otherAttributes: [Attribute(name: "X-COM-ID", value: "7", isQuoted: true)])
        tag.interstitial = Self.interstitial
        tag.interstitial = Interstitial(asset: .uri("https://ads.example/1.m3u8"))
        #expect(tag.otherAttributes.map(\.name) == ["X-ASSET-URI", "X-COM-ID"])
        tag.interstitial = nil
        #expect(tag.otherAttributes.map(\.name) == ["X-COM-ID"] && tag.rangeClass == nil)
    }

    @Test("a list of assets is written and read")
    func assets() throws {
        let list = AssetList(
            assets: [.init(uri: "https://ads.example/1.m3u8", duration: 15), .init(uri: "https://b/2", duration: 7.5)],
            skipControl: .init(offset: 5, labelID: "skip")
        )
        let json = """
            {"ASSETS":[{"URI":"https://ads.example/1.m3u8","DURATION":15},{"URI":"https://b/2","DURATION":7.5}],\
            "SKIP-CONTROL":{"OFFSET":5,"LABEL-ID":"skip"}}
            """
        #expect(Self.text(list.json) == json)
        #expect(try AssetList(parsing: list.json) == list)
        #expect(try AssetList(parsing: Array("{\"ASSETS\": [], \"X\": 1}".utf8)).assets.isEmpty)
    }

    @Test("a steering manifest is written and read")
    func steering() throws {
        let clone = SteeringManifest.Clone(
            of: "A",
            id: "B",
            host: "b.example",
            parameters: ["t": "1"],
            variantURIs: ["v": "https://b.example/v.m3u8"],
            renditionURIs: ["r": "https://b.example/r.m3u8"]
        )
        let manifest = SteeringManifest(reloadURI: "?n=1", pathwayPriority: ["B", "A"], clones: [clone])
        let json = """
            {"VERSION":1,"TTL":300,"RELOAD-URI":"?n=1","PATHWAY-PRIORITY":["B","A"],"PATHWAY-CLONES":\
            [{"BASE-ID":"A","ID":"B","URI-REPLACEMENT":{"HOST":"b.example","PARAMS":{"t":"1"},"PER-VARIANT-URIS":\
            {"v":"https://b.example/v.m3u8"},"PER-RENDITION-URIS":{"r":"https://b.example/r.m3u8"}}}]}
            """
        #expect(Self.text(manifest.json) == json)
        #expect(try SteeringManifest(parsing: manifest.json) == manifest)
        let short = Array("{\"VERSION\": 1, \"PATHWAY-PRIORITY\": [\"A\"]}".utf8)
        #expect(try SteeringManifest(parsing: short).timeToLive == 300)
    }

    @Test("chapters are written and read")
    func chapters() throws {
        let image = ChapterList.Image(category: "cover", width: 640, height: 360, url: "https://a/1.jpg")
        let list = ChapterList(chapters: [
            .init(number: 1, start: 0, duration: 60.5, titles: ["en": "Start", "de": "Anfang"], images: [image]),
            .init(start: 60.5),
        ])
        let json = """
            [{"chapter":1,"start-time":0,"duration":60.5,"titles":[{"language":"de","title":"Anfang"},\
            {"language":"en","title":"Start"}],"images":[{"image-category":"cover","pixel-width":640,\
            "pixel-height":360,"url":"https://a/1.jpg"}]},{"start-time":60.5}]
            """
        #expect(Self.text(list.json) == json)
        #expect(try ChapterList(parsing: list.json) == list)
    }

    @Test(
        "malformed JSON resources are refused with the place",
        arguments: [
            ("{}", "/ASSETS"), ("{\"ASSETS\":[{\"URI\":1,\"DURATION\":1}]}", "/ASSETS/0/URI"),
            ("{\"ASSETS\":[{\"URI\":\"a\",\"DURATION\":-1}]}", "/ASSETS/0/DURATION"), ("[", "byte"),
        ]
    )
    func malformed(_ json: String, _ place: String) {
        let error = #expect(throws: PlaylistError.self) { try AssetList(parsing: Array(json.utf8)) }
        #expect(error?.rule == .malformedJSON && error?.diagnostic.message.contains(place) == true)
        #expect(throws: PlaylistError.self) { try SteeringManifest(parsing: Array(json.utf8)) }
        #expect(throws: PlaylistError.self) { try ChapterList(parsing: Array(json.utf8)) }
        #expect(throws: PlaylistError.self) {
            try SteeringManifest(parsing: Array("{\"VERSION\":2,\"PATHWAY-PRIORITY\":[]}".utf8))
        }
    }
}
