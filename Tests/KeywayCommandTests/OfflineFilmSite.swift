import Foundation
import Synchronization
import Testing

/// An AES-128 movie on a local web server, and a folder for downloads, for tests of `keyway download` and
/// `keyway offline`.
final class OfflineFilmSite {
    let tool: Tool
    private let server: LittleServer
    private let asked: Asked

    static let key = "00112233445566778899aabbccddeeff"
    static let iv = "ffeeddccbbaa99887766554433221100"

    private final class Asked: Sendable {
        let paths = Mutex<[String]>([])
        let isCut = Mutex(false)
    }

    /// Creates the site.
    ///
    /// - Parameter cookie: A cookie that Multivariant Playlists set, and without which other files are refused, as
    ///   without the header X-Token.
    init(requiringCookie cookie: String? = nil) throws {
        let tool = try Tool()
        let (asked, root) = (Asked(), tool.path("site"))
        (self.tool, self.asked) = (tool, asked)
        let key = try #require(Self.bytes(Self.key))
        server = try LittleServer { request in
            asked.paths.withLock { $0.append(request.path) }
            guard !asked.isCut.withLock({ $0 }) else { return .init(status: 503) }
            let isMain = request.path.hasSuffix("main.m3u8")
            if let cookie, request.headers["x-token"] == nil || (!isMain && request.headers["cookie"] != cookie) {
                return .init(status: 403)
            }
            if request.path == "/film.key" { return .init(body: key) }
            guard let data = FileManager.default.contents(atPath: root + request.path) else {
                return .init(status: 404)
            }
            var headers = ["ETag": "\"1\""]
            if isMain, let cookie { headers["Set-Cookie"] = cookie + "; Path=/" }
            return .init(headers: headers, body: Array(data))
        }
        let options = ["--key-id", PackageTests.keyID, "--key", Self.key, "--iv", Self.iv]
        for (folder, protection) in [
            ("film", ["--scheme", "aes-128", "--key-uri", server.address + "/film.key"] + options),
            ("clear", ["--scheme", "none"]),
            ("fairplay", ["--scheme", "sample-aes"] + options),
        ] {
            let run = try tool.run(
                [
                    "package", PackageTests.film, "--out", "site/\(folder)", "--container", "ts", "--segment-duration",
                    "2s",
                ]
                    + protection
            )
            try #require(run.status == 0, "\(run.errors)")
        }
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits.dropFirst($0).prefix(2) }
        let bytes = pairs.compactMap { UInt8($0, radix: 16) }
        return bytes.count == pairs.count ? bytes : nil
    }

    /// Stops the web server.
    func cut() { asked.isCut.withLock { $0 = true } }
    var paths: [String] { asked.paths.withLock { $0 } }
    func address(_ folder: String) -> String { "\(server.address)/\(folder)/main.m3u8" }

    /// Runs `keyway download` into `films/NAME`.
    @discardableResult
    func download(_ folder: String, as name: String? = nil, _ options: String...) throws -> Tool.Outcome {
        try tool.run(["download", address(folder), "--out", "films/\(name ?? folder)", "--quiet"] + options)
    }

    /// Runs `keyway offline`, and returns its JSON output; an empty object if there is none.
    func offline(_ words: String...) throws -> (status: Int32, json: [String: Any], errors: String) {
        let run = try tool.run(["offline"] + words + ["--json"])
        for secret in [Self.key, Self.key.uppercased()] {
            #expect(!run.text.contains(secret) && !run.errors.contains(secret))
        }
        return (run.status, run.output.isEmpty ? [:] : try run.json(), run.errors)
    }

    /// Returns the list of downloads by title, and its notes.
    func list() throws -> (titles: [String: [String: Any]], notes: [String]) {
        let run = try offline("list", "films")
        #expect(run.status == 0, "\(run.errors)")
        let blocks = (run.json["downloads"] as? [String: Any])?["blocks"] as? [[String: Any]] ?? []
        let titles = Dictionary(blocks.map { ($0["title"] as? String ?? "", $0) }) { $1 }
        return (titles, run.json["notes"] as? [String] ?? [])
    }
}
