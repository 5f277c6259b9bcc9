import FileAccess
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import StreamOrigin

@Suite("Responses with segments", .timeLimit(.minutes(10)))
struct FileResponseTests {
    private static let folder = "/news/video/"

    @Test("Complete segments and their ranges")
    func complete() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 2)
        try await origin.test { (client) async throws in
            let path = Self.folder + "segment-9.m4s"
            let bytes = ServedFolder.segment(9, parts: 4)
            let whole = try await client.get(path)
            #expect(whole.bytes == bytes)
            #expect(whole.headers[.contentType] == "video/iso.segment")
            #expect(whole.headers[.acceptRanges] == "bytes")
            #expect(whole.headers[.cacheControl] == "max-age=60, immutable")
            let tag = try #require(whole.headers[.eTag])
            #expect(try await client.get(path, [.ifNoneMatch: tag]).status == .notModified)
            let range = try await client.get(path, [.range: "bytes=10-19", .ifRange: tag])
            #expect(range.status == .partialContent)
            #expect(range.headers[.contentRange] == "bytes 10-19/40")
            #expect(range.bytes == Array(bytes[10..<20]))
            #expect(try await client.get(path, [.range: "bytes=10-19", .ifRange: "\"old\""]).status == .ok)
            #expect(try await client.get(path, [.range: "bytes=-5"]).bytes == Array(bytes.suffix(5)))
            let after = try await client.get(path, [.range: "bytes=40-"])
            #expect(after.status == .rangeNotSatisfiable)
            #expect(after.headers[.contentRange] == "bytes */40")
            let head = try await client.execute(uri: path, method: .head) { $0 }
            #expect(head.status == .ok && head.bytes.isEmpty)
        }
    }

    @Test("The range of a listed part is sent at once, that of a hint when the part is complete")
    func parts() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 2)
        try await origin.test { (client) async throws in
            let path = Self.folder + "segment-10.m4s"
            let bytes = ServedFolder.segment(10, parts: 4)
            let listed = try await client.get(path, [.range: "bytes=10-19"])
            #expect(listed.bytes == Array(bytes[10..<20]))
            #expect(listed.headers[.contentRange] == "bytes 10-19/*")
            async let hinted = client.get(path, [.range: "bytes=20-29"])
            await origin.waiting(1)
            try origin.publish(10, 3)
            #expect(try await hinted.bytes == Array(bytes[20..<30]))
        }
    }

    @Test("An open range and a whole request follow the segment to its end")
    func growing() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 2)
        try await origin.test { (client) async throws in
            let path = Self.folder + "segment-10.m4s"
            let bytes = ServedFolder.segment(10, parts: 4)
            async let open = client.get(path, [.range: "bytes=20-9007199254740991"])
            async let whole = client.get(path)
            await origin.waiting(2)
            try origin.publish(10, 3)
            await origin.waiting(2)
            try origin.publish(11, 0)
            let range = try await open
            #expect(range.status == .partialContent)
            #expect(range.headers[.contentRange] == "bytes 20-9007199254740991/*")
            #expect(range.bytes == Array(bytes[20...]))
            #expect(try await whole.bytes == bytes)
        }
    }

    @Test("A hinted segment is waited for; one whose hint is withdrawn, or that has no hint, is not found")
    func hints() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 0)
        try await origin.test { (client) async throws in
            async let hinted = client.get(Self.folder + "segment-10.m4s", [.range: "bytes=0-9"])
            await origin.waiting(1)
            #expect(try await client.get(Self.folder + "segment-11.m4s").status == .notFound)
            try origin.publish(10, 1)
            #expect(try await hinted.bytes == ServedFolder.segment(10, parts: 1))
            // The segment ends after the hinted part did not come.
            async let unfulfilled = client.get(Self.folder + "segment-10.m4s", [.range: "bytes=40-"])
            await origin.waiting(1)
            try origin.publish(11, 0)
            #expect(try await unfulfilled.status == .rangeNotSatisfiable)
            async let withdrawn = client.get(Self.folder + "segment-11.m4s")
            await origin.waiting(1)
            try origin.publish(11, 0, window: LiveWindow(isEnded: true))
            #expect(try await withdrawn.status == .notFound)
        }
    }

    @Test("A hint that stays, and a segment that stops growing, end after three Target Durations")
    func deadlines() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 0)
        try await origin.test { (client) async throws in
            async let hinted = client.get(Self.folder + "segment-10.m4s")
            await origin.waiting(1)
            origin.channels.expire(now: .seconds(6))
            #expect(try await hinted.status == .notFound)
            try origin.publish(10, 1)
            async let range = client.get(Self.folder + "segment-10.m4s", [.range: "bytes=10-19"])
            await origin.waiting(1)
            origin.channels.expire(now: .seconds(6))
            #expect(try await range.status == .serviceUnavailable)
        }
    }

    @Test("A DASH manifest is not newer than the playlists: an incomplete segment that it lists is sent part by part")
    func manifest() async throws {
        let origin = try OriginFixture()
        try origin.files.write("news/main.mpd", Array("first".utf8))
        try origin.publish(10, 1)
        // The packager has written more, which the server has not read.
        try origin.files.publish("news", segments: 11, parts: 1)
        try origin.files.replace("news/main.mpd", Array("second".utf8))
        try await origin.test { (client) async throws in
            let old = try await client.get("/news/main.mpd")
            #expect(old.text == "first")
            #expect(old.headers[.contentType] == "application/dash+xml")
            #expect(old.headers[.cacheControl] == "max-age=1")
            let tag = try #require(old.headers[.eTag])
            #expect(try await client.get("/news/main.mpd", [.ifNoneMatch: tag]).status == .notModified)
            origin.apply([.file("news/main.mpd")])
            #expect(try await client.get("/news/main.mpd", [.ifNoneMatch: tag]).text == "second")
            async let segment = client.get(Self.folder + "segment-11.m4s")
            await origin.waiting(1)
            try origin.publish(11, 2)
            try origin.publish(12, 0)
            #expect(try await segment.bytes == ServedFolder.segment(11, parts: 4))
        }
    }

    @Test("Files that are not in memory are read from the folder; other types and links are not served")
    func stored() async throws {
        let origin = try OriginFixture()
        try origin.publish(10, 0)
        let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        try origin.files.write("news/video/old.m4s", large)
        try origin.files.write("news/keys.txt", [1])
        try origin.files.write("news/.hidden.m4s", [1])
        try origin.files.link("news/link.m4s", to: "video/old.m4s")
        try await origin.test { (client) async throws in
            let whole = try await client.get(Self.folder + "old.m4s")
            #expect(whole.bytes == large)
            let range = try await client.get(Self.folder + "old.m4s", [.range: "bytes=999990-"])
            #expect(range.bytes == Array(large.suffix(10)))
            #expect(range.headers[.contentRange] == "bytes 999990-999999/1000000")
            for path in [
                "/news/keys.txt", "/news/.hidden.m4s", "/news/link.m4s", "/news", "/news/", "/", "/..%2fa.m4s",
            ] {
                #expect(try await client.get(path).status == .notFound)
            }
        }
    }
}
