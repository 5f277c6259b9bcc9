import FPSCrypto
import Foundation
import HTTPRequests
import TextCoding

/// A folder with responses of earlier runs. A response is used again if the server says that it did not change (RFC
/// 9110, section 13). Only responses with a validator and without redirection are kept.
///
/// The name of a file is the hash of the URL, the range and the accepted encodings, so that no URL, which can contain a
/// token, is stored. The first line is the head of the response in JSON, the rest its body.
struct ResourceCache: Sendable {
    /// The folder.
    let folder: URL
    /// The maximum size of the folder in bytes; the files that were not used for the longest time are deleted.
    var limit: UInt64 = 20_000_000_000

    /// The stored part of the head of a response.
    private struct Head: Codable {
        var status: Int
        var headers: [[String]]
    }

    private static let kept: Set = [
        "etag", "last-modified", "content-type", "content-encoding", "content-range", "accept-ranges", "cache-control",
    ]

    /// Creates a cache, and its folder if it does not exist. Only the owner can read what is in it.
    init(_ path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    private func file(_ request: BoundedHTTP.Request) -> URL {
        let parts = [request.url, Self.field("Range", request), Self.field("Accept-Encoding", request)]
        let name = Hexadecimal.encode(SHA256.hash(Array(parts.joined(separator: "\n").utf8)))
        return folder.appending(path: name)
    }

    private static func field(_ name: String, _ request: BoundedHTTP.Request) -> String {
        request.headers.first { $0.name.lowercased() == name.lowercased() }?.value ?? ""
    }

    /// Returns the stored response to a request; nil if no response is stored.
    func answer(to request: BoundedHTTP.Request) -> BoundedHTTP.Answer? {
        let file = file(request)
        guard let content = try? Data(contentsOf: file), let end = content.firstIndex(of: 0x0a),
            let head = try? JSONDecoder().decode(Head.self, from: content[..<end]),
            head.headers.allSatisfy({ $0.count == 2 })
        else { return nil }
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
        return BoundedHTTP.Answer(
            status: head.status,
            headers: head.headers.map { BoundedHTTP.Header($0[0], $0[1]) },
            url: request.url,
            body: Array(content[content.index(after: end)...])
        )
    }

    /// Stores a response; a response that cannot be stored is loaded again in the next run.
    func store(_ answer: BoundedHTTP.Answer, to request: BoundedHTTP.Request) {
        guard answer.status == 200 || answer.status == 206, answer.url == request.url,
            answer.header("ETag") != nil || answer.header("Last-Modified") != nil,
            answer.header("Cache-Control")?.lowercased().contains("no-store") != true
        else { return }
        let headers = answer.headers.filter { Self.kept.contains($0.name.lowercased()) }.map { [$0.name, $0.value] }
        guard var content = try? JSONEncoder().encode(Head(status: answer.status, headers: headers)) else { return }
        content.append(0x0a)
        content.append(contentsOf: answer.body)
        try? content.write(to: file(request), options: .atomic)
    }

    /// Deletes the files that were not used for the longest time until the folder has its maximum size.
    func trim() {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
        var entries = files.compactMap { file -> (file: URL, date: Date, size: UInt64)? in
            // Only files of a cache are deleted, whatever folder was given.
            guard file.lastPathComponent.count == 64, file.lastPathComponent.allSatisfy(\.isHexDigit),
                let values = try? file.resourceValues(forKeys: keys), let date = values.contentModificationDate,
                let size = values.fileSize
            else { return nil }
            return (file, date, UInt64(size))
        }
        entries.sort { $0.date > $1.date }
        var total: UInt64 = 0
        for entry in entries {
            total += entry.size
            if total > limit { try? FileManager.default.removeItem(at: entry.file) }
        }
    }
}

/// An HTTP client that asks the server whether stored responses changed, instead of loading them again.
struct CachingExchange: HTTPExchange {
    let client: any HTTPExchange
    let cache: ResourceCache

    func send(
        _ request: BoundedHTTP.Request,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        var stored = cache.answer(to: request)
        var conditional = request
        if let tag = stored?.header("ETag") {
            conditional.headers.append(.init("If-None-Match", tag))
        } else if let date = stored?.header("Last-Modified") {
            conditional.headers.append(.init("If-Modified-Since", date))
        }
        let answer = try await client.send(conditional, while: shouldContinue)
        stored?.majorVersion = answer.majorVersion
        if answer.status == 304, let stored { return stored }
        cache.store(answer, to: request)
        return answer
    }

    func open(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
        try await client.open(request)
    }
}
