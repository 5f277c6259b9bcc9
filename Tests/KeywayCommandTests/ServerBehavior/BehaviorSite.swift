import Foundation
import Testing

/// The streams of the behaviors on one server: the path of a behavior's resource is `/INDEX/...` for players, and
/// `/dINDEX/...` for downloads, because some behaviors depend on the number of earlier requests.
final class BehaviorSite: Sendable {
    /// The site of all behaviors.
    static let shared = Result { try BehaviorSite(ServerBehavior.all) }

    private static let key = "00112233445566778899aabbccddeeff"
    /// The name of the second variant's folder.
    private static let other = "other"

    let server: BehaviorServer
    private let files: [String: [UInt8]]

    private init(_ behaviors: [ServerBehavior]) throws {
        let files = try Self.packagedFiles()
        self.files = files
        server = try BehaviorServer { request in
            let parts = request.path.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2, let index = Int(parts[0].drop { $0 == "d" }), behaviors.indices.contains(index)
            else {
                return ServerResponse([], status: 404).steps
            }
            let behavior = behaviors[index]
            guard let body = Self.body(parts[1], behavior, files) else { return ServerResponse([], status: 404).steps }
            var ordinary = ServerResponse(body)
            if parts[1] == "main.m3u8" { ordinary.headers = ["Set-Cookie: session=1; Path=/"] }
            guard Self.resource(parts[1]) == behavior.resource else { return ordinary.steps }
            return behavior.respond(ServerBehavior.Exchange(request: request, ordinary: ordinary))
        }
    }

    /// Returns the media of a stream in the order in which it is played.
    func media(_ behavior: ServerBehavior) -> [UInt8] {
        // The clear segments of the encrypted stream are those of the clear one.
        let form: ServerBehavior.Form = behavior.form == .mp4 ? .mp4 : .transportStream
        let folder = behavior.outcome.isOtherVariant ? Self.other : form.rawValue
        let playlist = String(decoding: files["\(folder)/media.m3u8"] ?? [], as: UTF8.self)
        let segments = playlist.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return ((form == .mp4 ? ["init.mp4"] : []) + segments).flatMap { files["\(folder)/\($0)"] ?? [] }
    }

    /// Returns the resource at a path without the behavior's index.
    static func resource(_ path: String) -> ServerBehavior.Resource? {
        switch path {
        case "main.m3u8": .main
        case "video/media.m3u8": .media
        case "video/init.mp4": .initialization
        case "subtitles.m3u8": .subtitles
        case "key": .key
        case _ where path.hasPrefix("video/2."): .segment
        default: nil
        }
    }

    private static func body(_ path: String, _ behavior: ServerBehavior, _ files: [String: [UInt8]]) -> [UInt8]? {
        switch path {
        case "main.m3u8": return Array((behavior.main ?? main(behavior)).utf8)
        case "subtitles.m3u8":
            return Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nsubtitles.vtt\n#EXT-X-ENDLIST\n".utf8)
        case "subtitles.vtt": return Array("WEBVTT\n\n00:00.000 --> 00:01.000\nText\n".utf8)
        case "key":
            return stride(from: 0, to: 32, by: 2).compactMap { UInt8(key.dropFirst($0).prefix(2), radix: 16) }
        case _ where path.hasPrefix("video/"): return files["\(behavior.form.rawValue)/\(path.dropFirst(6))"]
        default: return files[path]
        }
    }

    private static func main(_ behavior: ServerBehavior) -> String {
        let group = behavior.resource == .subtitles
        let subtitles =
            #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="s",DEFAULT=YES,AUTOSELECT=YES,URI="subtitles.m3u8""#
        return "#EXTM3U\n" + (group ? subtitles + "\n" : "")
            + "#EXT-X-STREAM-INF:BANDWIDTH=200000\(group ? ",SUBTITLES=\"s\"" : "")\nvideo/media.m3u8\n"
    }

    /// Returns the files of the video, by form and name.
    private static func packagedFiles() throws -> [String: [UInt8]] {
        let tool = try Tool()
        let media = URL(filePath: PackageTests.film).deletingLastPathComponent()
        let encryption = ["--scheme", "aes-128", "--key-uri", "https://key.test/key"] + PackageTests.keyOptions
        var files: [String: [UInt8]] = [:]
        for (name, source, options) in [
            (ServerBehavior.Form.transportStream.rawValue, "film.mp4", ["--container", "ts", "--scheme", "none"]),
            (ServerBehavior.Form.mp4.rawValue, "film.mp4", ["--scheme", "none"]),
            (ServerBehavior.Form.encrypted.rawValue, "film.mp4", ["--container", "ts"] + encryption),
            (other, "film-hd.mp4", ["--container", "ts", "--scheme", "none"]),
        ] {
            let input = media.appending(path: source).path
            let run = try tool.run(["package", input, "--out", name, "--segment-duration", "2s"] + options)
            try #require(run.status == 0, "\(run.errors)")
            let root = tool.folder.url.appending(path: name)
            let folders = try FileManager.default.contentsOfDirectory(atPath: root.path)
            let video = root.appending(path: try #require(folders.first { $0.hasPrefix("video") }))
            for file in try FileManager.default.contentsOfDirectory(atPath: video.path) {
                files["\(name)/\(file)"] = [UInt8](try Data(contentsOf: video.appending(path: file)))
            }
        }
        let encrypted = "\(ServerBehavior.Form.encrypted.rawValue)/media.m3u8"
        let playlist = String(decoding: files[encrypted] ?? [], as: UTF8.self)
        try #require(playlist.contains("https://key.test/key"))
        files[encrypted] = Array(playlist.replacing("https://key.test/key", with: "../key").utf8)
        return files
    }
}
