import DRMSignaling
import FPSCrypto
import Foundation
import MediaFormats
import Packager
import Testing

/// A movie of three seconds, packaged with a server's keys and looped for any duration: its segments repeat, with a
/// discontinuity before each repetition.
struct Film {
    /// The files by path, for example `main.m3u8`.
    let files: [String: [UInt8]]

    /// Packages the movie: three qualities, each with a separate key, and two languages with one key.
    ///
    /// - Parameters:
    ///   - keys: the keys by asset ID; nil packages without encryption.
    ///   - name: the prefix of asset IDs: `film` of `film/hd`.
    init(keys: [String: SecretBytes]?, name: String = "film", rounds: Int) throws {
        let folder = NSTemporaryDirectory() + "film-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var job = PackagingJob(
            inputs: [
                try Self.input("sd.mp4", trackClass: .sd), try Self.input("hd.mp4", trackClass: .hd),
                try Self.input("uhd.mp4", trackClass: .uhd), try Self.input("en.m4a", language: "en"),
                try Self.input("de.m4a", language: "de"),
            ],
            output: folder
        )
        job.segmentDuration = RationalTime(1, timescale: 1)
        if let keys {
            job.scheme = .cbcs
            job.systems = [.fairPlay]
            job.keyURI = try KeyURITemplate("skd://\(name)/{track}")
            for trackClass in TrackClass.allCases {
                let asset = "\(name)/\(trackClass.rawValue.lowercased())"
                job.keys.classes[trackClass] = try PackagingKey(
                    keyID: try ContentKeyID(parsing: String(repeating: Self.digits[trackClass] ?? "0", count: 32)),
                    key: try #require(keys[asset]),
                    iv: SecretBytes(copying: [UInt8](repeating: 7, count: 16))
                )
            }
        }
        try job.run()
        var files: [String: [UInt8]] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            guard let data = FileManager.default.contents(atPath: folder + "/" + path) else { continue }
            files[path] = Array(data)
        }
        for (path, bytes) in files where path.hasSuffix("media.m3u8") {
            files[path] = Self.repeated(String(decoding: bytes, as: UTF8.self), rounds)
        }
        self.files = files
    }

    private static let digits: [TrackClass: String] = [.audio: "a", .sd: "b", .hd: "c", .uhd: "d"]

    private static func input(
        _ name: String,
        trackClass: TrackClass? = nil,
        language: String? = nil
    ) throws -> PackagingJob.Input {
        let folder = try #require(Bundle.module.resourceURL)
        var input = PackagingJob.Input(path: folder.appendingPathComponent("Fixtures/" + name).path)
        input.language = language
        input.policy = trackClass.map { .trackClass($0) }
        return input
    }

    private static func repeated(_ playlist: String, _ rounds: Int) -> [UInt8] {
        let lines = playlist.split(separator: "\n").map(String.init)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("#EXTINF") }) else { return Array(playlist.utf8) }
        let segments = lines[first...].filter { $0 != "#EXT-X-ENDLIST" }
        let all = lines[..<first] + (0..<rounds).flatMap { ($0 == 0 ? [] : ["#EXT-X-DISCONTINUITY"]) + segments }
        return Array((all + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n").utf8)
    }
}
