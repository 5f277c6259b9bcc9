import Foundation
import HTTPTransport
import StreamPlayer
import Synchronization
import Testing

@Suite("Loading media over HTTP", .timeLimit(.minutes(10)))
struct HTTPMediaLoaderTests {
    private let loader = HTTPMediaLoader(idleTimeout: .seconds(120))

    private func failure(_ resource: MediaResource, _ loader: HTTPMediaLoader? = nil) async -> MediaLoadError? {
        do throws(MediaLoadError) {
            _ = try await (loader ?? self.loader).load(resource)
            return nil
        } catch {
            return error
        }
    }

    private static func answer(_ status: String, _ body: String = "", _ fields: String...) -> SocketServer.Reply {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
        return .bytes(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    @Test("returns a whole resource, or the requested range")
    func ranges() async throws {
        let server = try SocketServer { request in
            request.contains("Range: bytes=2-4")
                ? Self.answer("206 Partial Content", "cde") : Self.answer("200 OK", "abcdefg")
        }
        #expect(try await loader.load(MediaResource(server.address + "/a")).bytes == Array("abcdefg".utf8))
        #expect(try await loader.load(MediaResource(server.address + "/a", range: 2..<5)).bytes == Array("cde".utf8))
        // A server that does not support ranges returns the whole resource.
        #expect(try await loader.load(MediaResource(server.address + "/a", range: 1..<3)).bytes == Array("bc".utf8))
        #expect(await failure(MediaResource(server.address + "/a", range: 5..<9))?.code == .wrongRange)
        #expect(await failure(MediaResource(server.address + "/a", range: 2..<2))?.code == .wrongRange)
    }

    @Test("rejects bytes other than the requested ones")
    func wrongRanges() async throws {
        let server = try SocketServer { _ in Self.answer("206 Partial Content", "abc") }
        #expect(await failure(MediaResource(server.address + "/a"))?.code == .wrongRange)
        #expect(await failure(MediaResource(server.address + "/a", range: 0..<2))?.code == .wrongRange)
    }

    @Test("follows redirects, and returns the final URL")
    func redirects() async throws {
        let server = try SocketServer { request in
            request.hasPrefix("GET /here")
                ? Self.answer("302 Found", "", "Location: /there/main.m3u8") : Self.answer("200 OK", "#EXTM3U")
        }
        let media = try await loader.load(MediaResource(server.address + "/here"))
        #expect(media.url == server.address + "/there/main.m3u8")
    }

    @Test(
        "reports the kind of error",
        arguments: [
            ("404 Not Found", MediaLoadError.Code.notFound, 404), ("410 Gone", .notFound, 410),
            ("403 Forbidden", .status, 403),
            ("503 Busy", .status, 503), ("204 No Content", .status, 204),
        ]
    )
    func statuses(line: String, code: MediaLoadError.Code, status: Int) async throws {
        let server = try SocketServer { _ in Self.answer(line) }
        let error = await failure(MediaResource(server.address + "/a?token=secret"))
        #expect(error == MediaLoadError(code, server.address + "/a", status: status))
    }

    @Test("enforces the size limit and the timeout, and ends with its task")
    func limits() async throws {
        let server = try SocketServer { request in
            request.hasPrefix("GET /large")
                ? Self.answer("200 OK", "abcdef") : .unfinished("HTTP/1.1 200 OK\r\n\r\nabc")
        }
        #expect(await failure(MediaResource(server.address + "/large", maximumSize: 5))?.code == .tooLarge)
        let impatient = HTTPMediaLoader(idleTimeout: .milliseconds(20))
        #expect(await failure(MediaResource(server.address + "/slow"), impatient)?.code == .deadline)
        let task = Task { await failure(MediaResource(server.address + "/slow")) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        let unfinished = try SocketServer { _ in .unfinished("") }.address
        #expect(await failure(MediaResource(unfinished + "/a"))?.code == .noConnection)
        for url in ["", "movie", "http://", "ftp://a/b"] {
            #expect(await failure(MediaResource(url))?.code == .badAddress)
        }
    }

    private final class Heard: Sendable {
        let progress = Mutex<MediaProgress?>(nil)
    }

    @Test("reports progress, and ends if the callback returns false; otherwise loads everything")
    func watched() async throws {
        let slow = try SocketServer { _ in .unfinished("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc") }
        let heard = Heard()
        do throws(MediaLoadError) {
            _ = try await loader.load(MediaResource(slow.address + "/a?token=secret")) { progress in
                heard.progress.withLock { $0 = progress }
                return progress.received < 3
            }
            Issue.record("it was not ended")
        } catch {
            #expect(error == MediaLoadError(.abandoned, slow.address + "/a"))
            #expect(!error.isTemporary)
        }
        #expect(heard.progress.withLock(\.self) == MediaProgress(received: 3, expected: 100))
        let quick = try SocketServer { _ in Self.answer("200 OK", "abc") }
        let media = try await loader.load(MediaResource(quick.address + "/a")) { _ in true }
        #expect(media.bytes == Array("abc".utf8))
    }

    @Test("reads files too")
    func files() async throws {
        let path = NSTemporaryDirectory() + "media-\(UUID().uuidString)"
        try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let media = try await loader.load(MediaResource(URL(fileURLWithPath: path).absoluteString))
        #expect(media.bytes == Array("abc".utf8))
    }
}
