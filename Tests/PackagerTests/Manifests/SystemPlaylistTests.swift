import DRMSignaling
import Foundation
import HLSPlaylist
import Testing

@testable import Packager

@Suite("Playlists for several DRM systems")
struct SystemPlaylistTests {
    private static func job(_ folder: ScratchFolder, _ scheme: TrackProtection.Scheme) throws -> PackagingJob {
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: scheme)
        job.systems = [.widevine, .playReady, .common]
        if scheme == .cbcs { job.systems.insert(.fairPlay, at: 0) }
        job.manifests = [.hls]
        job.clearLead = RationalTime(1, timescale: 1)
        return job
    }

    private static func findings(_ folder: ScratchFolder) throws -> Set<RuleID> {
        let main = try LintFile(name: "main.m3u8", bytes: folder.bytes("main.m3u8"))
        let found = Linter().check(presentation: main) { uri in try? LintFile(name: uri, bytes: folder.bytes(uri)) }
        return Set(found.map(\.diagnostic.rule))
    }

    @Test("have the keys of all systems in the order of the job, before the init segment")
    func order() throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder, .cbcs))
        // KEYID of Widevine's tags, which other packagers also write, and which is not in any draft.
        let found = try Self.findings(folder)
        #expect(found == ["unknown-attribute"], "\(found)")
        let media = String(decoding: try folder.bytes("video-64/media.m3u8"), as: UTF8.self)
        let lines = media.split(separator: "\n")
        let keys = lines.filter { $0.hasPrefix("#EXT-X-KEY:") }
        try #require(keys.count == 4)
        for (key, words) in zip(
            keys,
            [
                ["URI=\"skd://", "KEYFORMAT=\"com.apple.streamingkeydelivery\""],
                ["URI=\"data:text/plain;base64,AAAA", "KEYFORMAT=\"urn:uuid:edef8ba9", "KEYID=0x101112"],
                ["URI=\"data:text/plain;charset=UTF-16;base64,", "KEYFORMAT=\"com.microsoft.playready\""],
                ["URI=\"data:text/plain;base64,", "KEYFORMAT=\"org.w3.clearkey\""],
            ]
        ) {
            let lacking = words.filter { !key.contains($0) }
            #expect(lacking.isEmpty, "\(key)")
            #expect(key.contains("METHOD=SAMPLE-AES,") && !key.contains("IV="))
        }
        let last = try #require(lines.lastIndex { $0.hasPrefix("#EXT-X-KEY:") })
        #expect(lines[last + 1].hasPrefix("#EXT-X-MAP:URI=\"init.mp4\""))
        let main = String(decoding: try folder.bytes("main.m3u8"), as: UTF8.self)
        #expect(main.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-SESSION-KEY:") }.count == 4)
    }

    @Test("specify SAMPLE-AES-CTR for cenc, and the linter reports that Apple's players do not support it")
    func counted() throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder, .cenc))
        let media = String(decoding: try folder.bytes("audio/media.m3u8"), as: UTF8.self)
        let keys = media.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-KEY:") }
        #expect(keys.count == 3)
        let areCounted = keys.allSatisfy { $0.contains("METHOD=SAMPLE-AES-CTR,") && !$0.contains("IV=") }
        #expect(areCounted)
        let found = try Self.findings(folder)
        #expect(found == ["sample-aes-ctr", "unknown-attribute"], "\(found)")
    }
}
