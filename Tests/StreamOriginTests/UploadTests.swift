import FileAccess
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import StreamOrigin

@Suite("Uploads", .timeLimit(.minutes(10)))
struct UploadTests {
    private static let tokens = "news,sport token-of-news-and-sport # a comment\n\n* token-of-all-channels\n"
    private static let token = "token-of-news-and-sport"

    private func origin(limits: UploadLimits = UploadLimits()) throws -> OriginFixture {
        var origin = try OriginFixture()
        try origin.acceptUploads(Self.tokens, limits: limits)
        return origin
    }

    private static func send(
        _ client: any TestClientProtocol,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = "",
        range: String? = nil,
        token: String = token
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.authorization: "Bearer \(token)"]
        headers[.contentRange] = range
        return try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(string: body)) {
            $0
        }
    }

    @Test("Whole files are created, replaced and deleted")
    func whole() async throws {
        let origin = try origin()
        try await origin.test { (client) async throws in
            let path = "/news/video/segment-1.m4s"
            #expect(try await Self.send(client, .put, path, "one").status == .created)
            #expect(try await Self.send(client, .put, path, "two!").status == .noContent)
            #expect(origin.files.read("news/video/segment-1.m4s") == Array("two!".utf8))
            #expect(try await Self.send(client, .delete, path).status == .noContent)
            #expect(try await Self.send(client, .delete, path).status == .notFound)
            #expect(try await Self.send(client, .delete, "/news/other/a.m4s").status == .notFound)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(origin.files.root)/news/video")
        #expect(names.isEmpty)
    }

    @Test("Parts are appended; repeating one is possible, a gap and other bytes are a conflict")
    func parts() async throws {
        let origin = try origin()
        try await origin.test { (client) async throws in
            let path = "/news/video/segment-1.m4s"
            #expect(try await Self.send(client, .put, path, "abcd", range: "bytes 0-3/*").status == .created)
            #expect(try await Self.send(client, .put, path, "abcd", range: "bytes 0-3/*").status == .noContent)
            #expect(try await Self.send(client, .put, path, "cdef", range: "bytes 2-5/*").status == .noContent)
            let gap = try await Self.send(client, .put, path, "z", range: "bytes 8-8/*")
            #expect(gap.status == .conflict)
            #expect(gap.headers[.init("Upload-Offset")!] == "6")
            #expect(try await Self.send(client, .put, path, "xxgh", range: "bytes 4-7/*").status == .conflict)
            #expect(try await Self.send(client, .put, path, "gh", range: "bytes 6-7/8").status == .noContent)
            #expect(origin.files.read("news/video/segment-1.m4s") == Array("abcdefgh".utf8))
            #expect(try await Self.send(client, .put, path, "abcd", range: "bytes 0-3/4").status == .conflict)
            let first = try await Self.send(client, .put, "/news/b.m4s", "z", range: "bytes 1-1/*")
            #expect(first.status == .conflict)
            #expect(first.headers[.init("Upload-Offset")!] == "0")
            for range in ["bytes 0-1/5", "bytes 3-2/*", "bytes */4", "0-1/*", "bytes 0-9999999999999999/*"] {
                #expect(try await Self.send(client, .put, path, "ab", range: range).status == .badRequest)
            }
            #expect(try await Self.send(client, .put, path, "abc", range: "bytes 8-9/*").status == .badRequest)
            #expect(try await Self.send(client, .put, path, "a", range: "bytes 8-9/*").status == .badRequest)
        }
        #expect(origin.files.read("news/b.m4s") == nil)
    }

    @Test("A token is required, for the channel")
    func tokens() async throws {
        let origin = try origin()
        try await origin.test { (client) async throws in
            let path = "/film/a.m4s"
            let none = try await client.execute(uri: path, method: .put, body: ByteBuffer(string: "a")) { $0 }
            #expect(none.status == .unauthorized)
            #expect(none.headers[.wwwAuthenticate] == "Bearer")
            #expect(
                try await Self.send(client, .put, path, "a", token: "token-of-news-and-sporT").status == .unauthorized
            )
            #expect(try await Self.send(client, .put, path, "a", token: "").status == .unauthorized)
            #expect(try await Self.send(client, .put, path, "a").status == .forbidden)
            #expect(try await Self.send(client, .delete, path).status == .forbidden)
            #expect(try await Self.send(client, .put, path, "a", token: "token-of-all-channels").status == .created)
            // Files of the served folder itself belong to no channel.
            #expect(try await Self.send(client, .put, "/a.m4s", "a").status == .forbidden)
        }
        #expect(origin.files.read("film/a.m4s") == Array("a".utf8))
    }

    @Test("Only media files of a limited size are accepted, and nothing of others remains")
    func limits() async throws {
        var limits = UploadLimits()
        limits.fileBytes = 10
        limits.partBytes = 5
        let origin = try origin(limits: limits)
        try origin.files.write("news/file.m4s", [1])
        try await origin.test { (client) async throws in
            #expect(try await Self.send(client, .put, "/news/a.m4s", "0123456789a").status == .contentTooLarge)
            #expect(
                try await Self.send(client, .put, "/news/a.m4s", "012345", range: "bytes 0-5/*").status
                    == .contentTooLarge
            )
            #expect(
                try await Self.send(client, .put, "/news/a.m4s", "a", range: "bytes 10-10/*").status == .contentTooLarge
            )
            for path in ["/news/a.sh", "/news/a", "/news/.a.m4s", "/news/%2e%2e/a.m4s", "/news/../../a.m4s"] {
                #expect(try await Self.send(client, .put, path, "a").status == .notFound)
            }
            #expect(try await Self.send(client, .put, "/news/file.m4s/a.m4s", "a").status == .conflict)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(origin.files.root)/news") == ["file.m4s"])
    }

    @Test("Links are not followed")
    func links() async throws {
        let origin = try origin()
        let outside = try ServedFolder()
        try outside.write("a.m4s", [1])
        try origin.files.write("news/b.m4s", [1])
        try origin.files.link("news/out", to: outside.root)
        try origin.files.link("news/c.m4s", to: "\(outside.root)/a.m4s")
        try await origin.test { (client) async throws in
            #expect(try await Self.send(client, .put, "/news/out/a.m4s", "x").status == .conflict)
            #expect(try await Self.send(client, .delete, "/news/out/a.m4s").status == .notFound)
            #expect(
                try await Self.send(client, .put, "/news/c.m4s", "\u{1}x", range: "bytes 0-1/*").status == .conflict
            )
            #expect(try await Self.send(client, .put, "/news/c.m4s", "x").status == .noContent)
        }
        #expect(outside.read("a.m4s") == [1])
        #expect(origin.files.read("news/c.m4s") == Array("x".utf8))
    }

    @Test("A file of tokens that others can read, or without tokens, is refused; the error has no token")
    func tokenFiles() throws {
        let files = try ServedFolder()
        let path = "\(files.root)/tokens"
        for (text, mode, expected) in [
            (Self.tokens, mode_t(0o644), "chmod 600"), ("# nothing\n", 0o600, "no token"),
            ("news short\n", 0o600, "line 1"), ("\nnews a-token-that-is-long enough\n", 0o600, "line 2"),
        ] {
            try files.write("tokens", Array(text.utf8))
            chmod(path, mode)
            let error = #expect(throws: UploadTokenError.self) { try UploadTokens(path: path) }
            #expect(error?.description.contains(expected) == true)
            #expect(error?.description.contains("token-") == false)
        }
    }

    @Test("Tokens that change are valid at once; a broken file leaves the previous ones valid")
    func changedTokens() throws {
        let files = try ServedFolder()
        try files.write("tokens", Array("* the-first-token-of-all\n".utf8))
        let path = "\(files.root)/tokens"
        chmod(path, 0o600)
        let tokens = try UploadTokens(path: path)
        try files.write("tokens.new", Array("* the-other-token-of-all\n".utf8))
        chmod(path + ".new", 0o600)
        #expect(rename(path + ".new", path) == 0)
        try tokens.reloadIfChanged()
        #expect(tokens.permission(of: "the-first-token-of-all", channel: "a") == .unknown)
        #expect(tokens.permission(of: "the-other-token-of-all", channel: "a") == .granted)
        try files.write("tokens", Array("*\n".utf8))
        chmod(path, 0o600)
        #expect(throws: UploadTokenError.self) { try tokens.reloadIfChanged() }
        #expect(tokens.permission(of: "the-other-token-of-all", channel: "a") == .granted)
    }
}
