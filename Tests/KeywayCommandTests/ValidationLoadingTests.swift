import Foundation
import HTTPRequests
import StreamValidation
import Synchronization
import Testing

@testable import keyway

@Suite("Loading of keyway validate", .timeLimit(.minutes(10)))
struct ValidationLoadingTests {
    /// A server with one resource that answers conditional requests.
    private final class Origin: HTTPExchange {
        struct State {
            var body: [UInt8] = Array("first".utf8)
            var headers: [BoundedHTTP.Header] = [.init("ETag", "\"1\""), .init("Content-Type", "video/mp4")]
            var url: String?
            var sent = 0
        }

        let state = Mutex(State())

        /// The number of bytes that were sent.
        var sent: Int { state.withLock { $0.sent } }

        func send(
            _ request: BoundedHTTP.Request,
            while _: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
        ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
            state.withLock { state in
                let url = state.url ?? request.url
                let tag = state.headers.first { $0.name == "ETag" }?.value
                if let tag, request.headers.contains(where: { $0.name == "If-None-Match" && $0.value == tag }) {
                    return BoundedHTTP.Answer(status: 304, url: url)
                }
                state.sent += state.body.count
                return BoundedHTTP.Answer(status: 200, headers: state.headers, url: url, body: state.body)
            }
        }

        func open(_: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
            throw .init(.noConnection, "not used")
        }
    }

    private let folder: TemporaryFolder
    private let cache: ResourceCache
    private let origin = Origin()
    private var client: CachingExchange { CachingExchange(client: origin, cache: cache) }

    init() throws {
        folder = try TemporaryFolder()
        cache = try ResourceCache(folder.url.appending(path: "cache").path)
    }

    private func load(_ url: String = "https://cdn.example.com/1.m4s?token=secret", range: String? = nil) async throws
        -> BoundedHTTP.Answer
    {
        var request = BoundedHTTP.Request(url, timeout: .seconds(60), maximumResponseSize: 100)
        if let range { request.headers.append(.init("Range", range)) }
        return try await client.send(request, while: nil)
    }

    private var files: [URL] {
        (try? FileManager.default.contentsOfDirectory(at: cache.folder, includingPropertiesForKeys: nil)) ?? []
    }

    @Test("A response that did not change is not loaded again, and is equal")
    func unchanged() async throws {
        let first = try await load()
        let second = try await load()
        #expect(origin.sent == 5)
        #expect(second.status == 200 && second.body == first.body && second.url == first.url)
        #expect(second.header("Content-Type") == "video/mp4")
    }

    @Test("A changed response replaces the stored one")
    func changed() async throws {
        _ = try await load()
        origin.state.withLock { state in
            state.body = Array("second".utf8)
            state.headers = [.init("ETag", "\"2\"")]
        }
        #expect(try await load().body == Array("second".utf8))
        #expect(try await load().body == Array("second".utf8))
        #expect(origin.sent == 11)
    }

    @Test("Ranges and URLs are separate entries")
    func entries() async throws {
        _ = try await load()
        _ = try await load(range: "bytes=0-1")
        _ = try await load("https://cdn.example.com/2.m4s")
        #expect(origin.sent == 15 && files.count == 3)
    }

    @Test(
        "Responses without a validator, with no-store or after a redirection are not kept",
        arguments: [
            ([BoundedHTTP.Header("Content-Type", "video/mp4")], nil),
            ([.init("ETag", "\"1\""), .init("Cache-Control", "private, No-Store")], nil),
            ([.init("ETag", "\"1\"")], "https://other.example.com/1.m4s"),
        ] as [([BoundedHTTP.Header], String?)]
    )
    func notKept(headers: [BoundedHTTP.Header], url: String?) async throws {
        origin.state.withLock { ($0.headers, $0.url) = (headers, url) }
        _ = try await load()
        #expect(files.isEmpty)
    }

    @Test("The folder is for its owner only, and contains no URL")
    func secrecy() async throws {
        _ = try await load()
        let permissions = try FileManager.default.attributesOfItem(atPath: cache.folder.path)[.posixPermissions]
        #expect(permissions as? Int == 0o700)
        let file = try #require(files.first)
        #expect(!file.lastPathComponent.contains("secret"))
        #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("secret"))
    }

    @Test(
        "A damaged entry is loaded again",
        arguments: ["", "\n", "{}\nfirst", #"{"status":200,"headers":[["ETag"]]}"# + "\n"]
    )
    func damaged(content: String) async throws {
        _ = try await load()
        try Data(content.utf8).write(to: try #require(files.first))
        #expect(try await load().body == Array("first".utf8))
        #expect(origin.sent == 10)
    }

    @Test("What was not used for the longest time is deleted, and nothing that is not of the cache")
    func trimming() async throws {
        let own = cache.folder.appending(path: "notes.txt")
        try Data(count: 1000).write(to: own)
        for number in 0..<4 {
            _ = try await load("https://cdn.example.com/\(number).m4s")
            let newest = try #require(
                files.filter { $0 != own }.max { try Self.date($0) < Self.date($1) }
            )
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9 + Double(number))],
                ofItemAtPath: newest.path
            )
        }
        var small = cache
        let size = try #require(try files.filter { $0 != own }.first?.resourceValues(forKeys: [.fileSizeKey]).fileSize)
        small.limit = UInt64(size * 2)
        small.trim()
        #expect(FileManager.default.fileExists(atPath: own.path) && files.count == 3)
        let sent = origin.sent
        for number in 2..<4 { _ = try await load("https://cdn.example.com/\(number).m4s") }
        #expect(origin.sent == sent)
    }

    private static func date(_ file: URL) throws -> Date {
        try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate ?? .distantPast
    }

    @Test("A rate limit delays requests until the bytes before would have arrived")
    func rate() {
        let start = ContinuousClock.now
        let limit = DownloadRate(bytesPerSecond: 1000, now: start)
        #expect(limit.delay(now: start) == nil)
        limit.add(500, now: start)
        limit.add(1500, now: start + .milliseconds(100))
        #expect(limit.delay(now: start + .seconds(1)) == .seconds(1))
        #expect(limit.delay(now: start + .seconds(2)) == nil)
        // Time without requests is not saved up.
        limit.add(1000, now: start + .seconds(10))
        #expect(limit.delay(now: start + .seconds(10)) == .seconds(1))
    }

    @Test("The progress contains share, size, rate and the time that is left")
    func progress() {
        var progress = ValidationProgress()
        progress.segments = 120
        progress.allSegments = 280
        progress.byteCount = 430_000_000
        progress.seconds = 250
        progress.allSeconds = 1000
        #expect(
            ValidationProgressLine.text(progress, seconds: 10)
                == "25 %  430 MB  43.0 MB/s  120 of 280 segments  0:30 left"
        )
        #expect(ValidationProgressLine.text(ValidationProgress(), seconds: 0).hasPrefix("0 %"))
    }
}
