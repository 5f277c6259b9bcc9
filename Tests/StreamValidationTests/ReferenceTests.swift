import Foundation
import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("Session data, steering manifests and interstitials are loaded and judged")
struct ReferenceTests {
    private static let site = "https://films.example/"

    private static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    private static func media(_ tags: String = "") -> String {
        """
        #EXTM3U
        #EXT-X-TARGETDURATION:3
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
        \(tags)#EXTINF:3.0,
        1.ts
        #EXT-X-ENDLIST

        """
    }

    private static func main(_ tags: String = "") -> String {
        "#EXTM3U\n\(tags)#EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS=\"avc1.64000a\"\nmedia.m3u8\n"
    }

    /// Returns the rules that a presentation violates and one without the tags does not.
    private static func findings(
        _ multivariant: String = main(),
        _ playlist: String = media(),
        _ files: [String: String] = [:]
    ) async throws -> [String] {
        func report(_ texts: [String: String]) async throws -> [String] {
            var resources = ["\(site)1.ts": try clip("clear-video-1.ts")]
            for (name, text) in texts { resources[site + name] = Array(text.utf8) }
            let validator = StreamValidator(resources: StreamValidatorTests.Resources(files: resources))
            return try await validator.validate(site + "main.m3u8").findings.map { "\($0.level.rawValue) \($0.rule)" }
        }
        let clean = try await report(["main.m3u8": main(), "media.m3u8": media()])
        let all = try await report(files.merging(["main.m3u8": multivariant, "media.m3u8": playlist]) { $1 })
        return all.filter { !clean.contains($0) }
    }

    @Test("Session data")
    func sessionData() async throws {
        let main = Self.main("#EXT-X-SESSION-DATA:DATA-ID=\"com.example.data\",URI=\"data.json\"\n")
        #expect(try await Self.findings(main, Self.media(), ["data.json": "{\"a\":[1]}"]) == [])
        #expect(try await Self.findings(main, Self.media(), ["data.json": "<html>"]) == ["must reference-malformed"])
        #expect(try await Self.findings(main) == ["must reference-missing"])
        let chapters = main.replacing("com.example.data", with: "com.apple.hls.chapters")
        #expect(try await Self.findings(chapters, Self.media(), ["data.json": "[{\"start-time\":0}]"]) == [])
        #expect(try await Self.findings(chapters, Self.media(), ["data.json": "{}"]) == ["must reference-malformed"])
        let raw = main.replacing("data.json\"", with: "data.json\",FORMAT=RAW")
        #expect(try await Self.findings(raw, Self.media(), ["data.json": "<html>"]) == [])
    }

    @Test("Steering manifests")
    func steering() async throws {
        let main = Self.main("#EXT-X-CONTENT-STEERING:SERVER-URI=\"steering.json\"\n")
        func findings(_ json: String) async throws -> [String] {
            try await Self.findings(main, Self.media(), ["steering.json": json])
        }
        #expect(try await findings(#"{"VERSION":1,"PATHWAY-PRIORITY":["."]}"#) == [])
        #expect(try await findings("") == ["must reference-malformed"])
        #expect(try await findings(#"{"VERSION":1,"PATHWAY-PRIORITY":["B"]}"#) == ["must steering-pathway-unknown"])
        let cloned =
            #"{"VERSION":1,"PATHWAY-PRIORITY":["B"],"PATHWAY-CLONES":[{"BASE-ID":".","ID":"B","URI-REPLACEMENT":{}}]}"#
        #expect(try await findings(cloned) == [])
        #expect(try await Self.findings(main) == ["must reference-missing"])
    }

    private static func dateRange(_ attributes: String) -> String {
        "#EXT-X-DATERANGE:ID=\"ad\",CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-01-01T00:00:01Z\",\(attributes)\n"
    }

    @Test("The assets of interstitials, which are not followed into their own interstitials")
    func interstitials() async throws {
        func findings(_ attributes: String, _ files: [String: String]) async throws -> [String] {
            try await Self.findings(Self.main(), Self.media(Self.dateRange(attributes)), files)
        }
        let uri = "X-ASSET-URI=\"\(Self.site)ad.m3u8\""
        #expect(try await findings("\(uri),DURATION=3", ["ad.m3u8": Self.media()]) == [])
        #expect(try await findings(uri, [:]) == ["must interstitial-asset-missing"])
        let broken = Self.media().replacing("1.ts", with: "2.ts")
        #expect(try await findings(uri, ["ad.m3u8": broken]) == ["must interstitial-asset-missing"])
        let live = Self.media().replacing("#EXT-X-ENDLIST\n", with: "").replacing(
            "#EXT-X-PLAYLIST-TYPE:VOD\n",
            with: ""
        )
        #expect(try await findings(uri, ["ad.m3u8": live]) == ["must interstitial-live"])
        let duration = try await findings("\(uri),DURATION=30", ["ad.m3u8": Self.media()])
        #expect(duration == ["should interstitial-duration-differs"])
        let nested = Self.media(Self.dateRange("X-ASSET-URI=\"\(Self.site)none.m3u8\""))
        #expect(try await findings(uri, ["ad.m3u8": nested]) == ["advice interstitial-nested"])
    }

    @Test("Asset lists")
    func assetLists() async throws {
        func findings(_ json: String?) async throws -> [String] {
            var files = ["ad.m3u8": Self.media()]
            files["list.json"] = json
            return try await Self.findings(Self.main(), Self.media(Self.dateRange("X-ASSET-LIST=\"list.json\"")), files)
        }
        func list(_ duration: Int) -> String {
            "{\"ASSETS\":[{\"URI\":\"\(Self.site)ad.m3u8\",\"DURATION\":\(duration)}]}"
        }
        #expect(try await findings(list(3)) == [])
        #expect(try await findings(list(9)) == ["should interstitial-duration-differs"])
        #expect(try await findings("[]") == ["must reference-malformed"])
        #expect(try await findings(nil) == ["must reference-missing"])
    }

    @Test("An asset list with a relative URI is there for each playlist")
    func relativeAssetLists() async throws {
        let tags = Self.dateRange("X-ASSET-LIST=\"list.json\"")
        let main =
            "#EXTM3U\n"
            + ["a", "b"].map {
                "#EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS=\"avc1.64000a\"\n\($0)/media.m3u8\n"
            }.joined()
        let media = Self.media(tags).replacing("1.ts", with: "../1.ts")
        let list = "{\"ASSETS\":[]}"
        func findings(_ lists: [String]) async throws -> [String] {
            var files = ["a/media.m3u8": media, "b/media.m3u8": media]
            for folder in lists { files["\(folder)/list.json"] = list }
            return try await Self.findings(main, Self.media(), files).filter { $0.contains("reference") }
        }
        #expect(try await findings(["a", "b"]) == [])
        #expect(try await findings(["a"]) == ["must reference-missing"])
    }
}
