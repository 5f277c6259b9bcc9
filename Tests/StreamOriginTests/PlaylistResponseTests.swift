import HLSPlaylist
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import StreamOrigin

@Suite("Responses with playlists", .timeLimit(.minutes(10)))
struct PlaylistResponseTests {
    private static let path = "/news/video/media.m3u8"

    @Test("A playlist is sent as it was written, with the fields that caches and pages need")
    func plain() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 2)
        try await origin.test { (client) async throws in
            let response = try await client.get(Self.path)
            #expect(response.status == .ok)
            #expect(response.text == LiveWindow().text(segments: 10, parts: 2))
            #expect(response.headers[.contentType] == "application/vnd.apple.mpegurl")
            #expect(response.headers[.cacheControl] == "max-age=1")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[.vary] == "Accept-Encoding")
            let tag = try #require(response.headers[.eTag])
            let again = try await client.get(Self.path, [.ifNoneMatch: "\"x\", W/\(tag)"])
            #expect(again.status == .notModified)
            #expect(again.bytes.isEmpty)
            #expect(try await client.get(Self.path, [.ifNoneMatch: "\"x\""]).status == .ok)
            let main = try await client.get("/news/main.m3u8?_HLS_msn=5")
            #expect(main.status == .ok)
        }
    }

    @Test("gzip makes playlists smaller, and has an entity tag of its own")
    func compressed() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 2)
        try await origin.test { (client) async throws in
            let plain = try await client.get(Self.path)
            let response = try await client.get(Self.path, [.acceptEncoding: "br, gzip;q=0.5"])
            #expect(response.headers[.contentEncoding] == "gzip")
            #expect(response.bytes.count < plain.bytes.count / 2)
            #expect(response.bytes.starts(with: [0x1F, 0x8B]))
            #expect(response.headers[.eTag] != plain.headers[.eTag])
            let refused = try await client.get(Self.path, [.acceptEncoding: "gzip;q=0, identity"])
            #expect(refused.headers[.contentEncoding] == nil)
        }
    }

    @Test("A blocking request waits for its part, and may be cached for six Target Durations")
    func blocking() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 1)
        try await origin.test { (client) async throws in
            let ready = try await client.get(Self.path + "?_HLS_msn=10&_HLS_part=0")
            #expect(ready.headers[.cacheControl] == "max-age=12")
            async let waiting = client.get(Self.path + "?_HLS_msn=10&_HLS_part=2&_HLS_skip=YES")
            await origin.waiting(1)
            try origin.publish(10, 2)
            await origin.waiting(1)
            try origin.publish(10, 3)
            let response = try await waiting
            #expect(response.status == .ok)
            let playlist = try MediaPlaylist(strictlyParsing: response.bytes)
            #expect(playlist.upcoming.parts.count == 3)
            #expect(playlist.skip?.skippedSegments == 4)
        }
    }

    @Test("Requests that are wrong or too early are refused")
    func refused() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 1)
        try await origin.test { (client) async throws in
            for query in ["_HLS_part=1", "_HLS_msn=12", "_HLS_msn=10&_HLS_part=8", "_HLS_skip=no", "_HLS_msn=x"] {
                let response = try await client.get(Self.path + "?" + query)
                #expect(response.status == .badRequest)
                #expect(response.headers[.cacheControl] == "max-age=1")
            }
            #expect(try await client.get("/news/audio/media.m3u8").status == .notFound)
            #expect(try await client.get("/other/media.m3u8?_HLS_msn=1").status == .notFound)
        }
    }

    @Test("After three Target Durations the status is 503, and at the shutdown too")
    func unavailable() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 1)
        try await origin.test { (client) async throws in
            async let waiting = client.get(Self.path + "?_HLS_msn=10")
            await origin.waiting(1)
            origin.channels.expire(now: .milliseconds(5999))
            await origin.waiting(1)
            origin.channels.expire(now: .seconds(6))
            #expect(try await waiting.status == .serviceUnavailable)
            async let last = client.get(Self.path + "?_HLS_msn=10")
            await origin.waiting(1)
            #expect(try await client.get("/health").status == .ok)
            origin.channels.close()
            let response = try await last
            #expect(response.status == .serviceUnavailable)
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(try await client.get("/health").status == .serviceUnavailable)
        }
    }

    @Test("A playlist that ended is sent at once")
    func ended() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 0, window: LiveWindow(isEnded: true))
        try await origin.test { (client) async throws in
            #expect(try await client.get(Self.path + "?_HLS_msn=500&_HLS_part=3").status == .ok)
        }
    }

    @Test("Only listed pages may read, and preflight requests are answered")
    func crossOrigin() async throws {
        var origin = try OriginFixture()
        origin.crossOrigin = .listed(["https://www.example.com"])
        try origin.publish(10, 1)
        try await origin.test { (client) async throws in
            let allowed = try await client.get(Self.path, [.origin: "https://www.example.com"])
            #expect(allowed.headers[.accessControlAllowOrigin] == "https://www.example.com")
            #expect(allowed.headers[values: .vary].contains("Origin"))
            let other = try await client.get(Self.path, [.origin: "https://evil.example"])
            #expect(other.headers[.accessControlAllowOrigin] == nil)
            let preflight = try await client.execute(
                uri: Self.path,
                method: .options,
                headers: [.origin: "https://www.example.com"]
            ) { $0 }
            #expect(preflight.status == .noContent)
            #expect(preflight.headers[.accessControlAllowMethods] == "GET, HEAD")
            let post = try await client.execute(uri: Self.path, method: .post) { $0 }
            #expect(post.status == .methodNotAllowed)
            let put = try await client.execute(uri: Self.path, method: .put) { $0 }
            #expect(put.status == .methodNotAllowed)
        }
    }

    @Test("Metrics count requests and waits")
    func metrics() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 1)
        try await origin.test { (client) async throws in
            _ = try await client.get(Self.path)
            _ = try await client.get(Self.path + "?_HLS_msn=10&_HLS_part=0&_HLS_skip=YES")
            _ = try await client.get("/news/video/segment-9.m4s")
            _ = try await client.get("/nothing")
        }
        let text = origin.metrics.exposition(channels: origin.channels, connections: 3, version: "1")
        for line in [
            "keyway_origin_requests_total{resource=\"playlist\",status=\"2xx\"} 1",
            "keyway_origin_requests_total{resource=\"delta\",status=\"2xx\"} 1",
            "keyway_origin_requests_total{resource=\"segment\",status=\"2xx\"} 1",
            "keyway_origin_requests_total{resource=\"other\",status=\"4xx\"} 1",
            "keyway_origin_waits_total{result=\"answered\"} 1", "keyway_origin_channels 1",
            "keyway_origin_connections 3",
        ] {
            #expect(text.contains(line + "\n"))
        }
    }
}
