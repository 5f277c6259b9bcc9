import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("A fault of delivery violates exactly its rule")
struct DeliveryRuleTests {
    private static let live = MadePresentation.media.replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
        .replacing("#EXT-X-ENDLIST\n", with: "")

    @Test("of the time for which caches may keep responses")
    func caching() throws {
        func findings(_ field: String?, isLive: Bool) throws -> [String] {
            var made = MadePresentation()
            if isLive { for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] { made.playlists[name] = Self.live } }
            var presentation = try made.measured()
            var http = HTTPObservation()
            http.cacheControl = field
            for index in presentation.renditions.indices {
                presentation.renditions[index].http = http
                presentation.renditions[index].http?.contentEncoding = "gzip"
                for segment in presentation.renditions[index].segments.indices {
                    presentation.renditions[index].segments[segment].http = http
                }
            }
            return MadePresentation.findings(of: presentation)
        }
        // The Target Duration is 6 seconds.
        for field in ["max-age=7", "public, s-maxage=60, max-age=3", "max-age=0, S-MaxAge=\"7\""] {
            #expect(try findings(field, isLive: true) == ["should live-playlist-cached-long"], "\(field)")
            #expect(try findings(field, isLive: false) == [], "\(field)")
        }
        for field in ["no-store", "no-cache, max-age=7", "max-age=0", "MAX-AGE = 0"] {
            #expect(try findings(field, isLive: true) == [], "\(field)")
            #expect(try findings(field, isLive: false) == ["advice segments-not-cacheable"], "\(field)")
        }
        for field in [nil, "max-age=6", "private", "no-cache=\"Set-Cookie\"", "max-age=-7", "max-age=", "=", ""] {
            #expect(try findings(field, isLive: true) == [], "\(field ?? "none")")
            #expect(try findings(field, isLive: false) == [], "\(field ?? "none")")
        }
    }

    @Test("of the version of HTTP with low latency")
    func httpVersion() throws {
        func findings(_ text: String, _ version: Int?, segments: Int? = nil) throws -> [String] {
            var made = MadePresentation()
            for name in ["high.m3u8", "low.m3u8", "audio.m3u8"] { made.playlists[name] = text }
            var presentation = try made.measured()
            var http = HTTPObservation()
            (http.majorVersion, http.contentEncoding) = (version, "gzip")
            presentation.renditions[0].http = http
            http.majorVersion = segments
            presentation.renditions[0].segments[1].http = http
            return MadePresentation.findings(of: presentation).filter { $0.contains("low-latency-http") }
        }
        let parts = Self.live.replacing("#EXT-X-MAP", with: "#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MAP")
        #expect(try findings(parts, 1) == ["must low-latency-http-version"])
        #expect(try findings(parts, 2, segments: 1) == ["must low-latency-http-version"])
        #expect(try findings(parts, 2, segments: 2) == [] && findings(parts, 3) == [] && findings(parts, nil) == [])
        #expect(try findings(Self.live, 1) == [], "without low latency")
        #expect(try findings(parts + "#EXT-X-ENDLIST\n", 1) == [], "ended")
    }
}
