import Foundation
import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("Presentations are loaded and judged")
struct StreamValidatorTests {
    /// Resources in memory.
    struct Resources: ValidationResources {
        var files: [String: [UInt8]]

        func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
            guard var bytes = files[request.url] else { throw ResourceFailure(reason: "it does not exist") }
            if let range = request.byteRange {
                guard range.upperBound <= bytes.count else { throw ResourceFailure(reason: "the range does not exist") }
                bytes = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            }
            guard bytes.count <= request.maximumSize else { throw ResourceFailure(reason: "it is too large") }
            return LoadedResource(url: request.url, bytes: bytes)
        }
    }

    private static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// Two segments of a second, encrypted with SAMPLE-AES by Shaka Packager, and their playlist.
    private static func files(_ tags: String = "", durations: [String] = ["1.0", "1.0"]) throws -> [String: [UInt8]] {
        let playlist = """
            #EXTM3U
            #EXT-X-TARGETDURATION:1
            #EXT-X-PLAYLIST-TYPE:VOD
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://film",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
            #EXTINF:\(durations[0]),
            1.ts
            \(tags)#EXTINF:\(durations[1]),
            2.ts
            #EXT-X-ENDLIST

            """
        return [
            "https://films.example/media.m3u8": Array(playlist.utf8),
            "https://films.example/1.ts": try clip("sample-aes-video-1.ts"),
            "https://films.example/2.ts": try clip("sample-aes-video-2.ts"),
        ]
    }

    private static func validate(
        _ files: [String: [UInt8]],
        _ settings: StreamValidator.Settings = .init()
    ) async throws -> ValidationReport {
        try await StreamValidator(resources: Resources(files: files), settings: settings)
            .validate("https://films.example/media.m3u8")
    }

    @Test("without a finding, if nothing is wrong")
    func clean() async throws {
        let report = try await Self.validate(try Self.files())
        #expect(report.findings.isEmpty, "\(report.findings)")
        #expect(report.presentation.renditions.map(\.isComplete) == [true])
    }

    @Test("with the segment, if one is missing")
    func missing() async throws {
        var files = try Self.files()
        files["https://films.example/2.ts"] = nil
        let finding = try #require(try await Self.validate(files).findings.first)
        #expect(finding.rule == "segment-missing" && finding.level == .critical && finding.place.sequence == 1)
        #expect(finding.place.line == 8 && finding.message.contains("it does not exist"))
    }

    @Test("without an error for keys that are not needed, and with one for keys that are not signaled")
    func unsignaled() async throws {
        let files = try Self.files("#EXT-X-KEY:METHOD=NONE\n")
        let report = try await Self.validate(files)
        #expect(report.findings.map(\.rule) == ["enc-not-signaled"])
    }

    @Test("with an estimate, if only a part is loaded")
    func sampling() async throws {
        var settings = StreamValidator.Settings()
        settings.sampling = SegmentSampling(share: 1, end: 0.5)
        let report = try await Self.validate(try Self.files(), settings)
        #expect(report.presentation.renditions[0].segments.map { $0.measurement != nil } == [true, false])
        settings.sampling = .none
        #expect(try await Self.validate(try Self.files(), settings).presentation.renditions[0].measured.isEmpty)
    }

    @Test(
        "whatever durations a playlist has",
        arguments: ["0", "0.0000000000000000001", "99999999999999999999999999", "1e300"]
    )
    func durations(duration: String) async throws {
        let report = try await Self.validate(try Self.files(durations: [duration, duration]))
        #expect(report.presentation.renditions.count == 1)
    }

    @Test("with what was left out, if there are more playlists than the maximum")
    func tooManyPlaylists() async throws {
        var files = try Self.files()
        let media = files.removeValue(forKey: "https://films.example/media.m3u8")
        files["https://films.example/1.m3u8"] = media
        files["https://films.example/2.m3u8"] = media
        let tags = [1, 2].map { "#EXT-X-STREAM-INF:BANDWIDTH=\($0)000\n\($0).m3u8\n" }
        files["https://films.example/media.m3u8"] = Array(("#EXTM3U\n" + tags.joined()).utf8)
        var settings = StreamValidator.Settings()
        settings.playlistCount = 1
        let report = try await Self.validate(files, settings)
        #expect(report.presentation.renditions.map(\.name) == ["https://films.example/1.m3u8"])
        let finding = try #require(report.findings.first { $0.rule == "playlist-missing" })
        #expect(finding.place.line == 4 && finding.message.contains("more than 1 Media Playlists"))
    }

    @Test("A page instead of a playlist is an error")
    func page() async throws {
        let files = ["https://films.example/media.m3u8": Array("<!doctype html>".utf8)]
        await #expect(throws: ResourceFailure(reason: "it is not a playlist")) { try await Self.validate(files) }
    }

    @Test("A sample has both ends, and neighbors, and depends only on the seed")
    func choice() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + (0..<100).map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        let playlist = try MediaPlaylist(parsing: Array((text + "#EXT-X-ENDLIST\n").utf8))
        let segments = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 1) }
        let chosen = SegmentSampling(share: 0.1, seed: 7).indices(of: segments)
        #expect(chosen.isSuperset(of: [0, 99]) && (10...11).contains(chosen.count))
        #expect(chosen == SegmentSampling(share: 0.1, seed: 7).indices(of: segments))
        #expect(chosen != SegmentSampling(share: 0.1, seed: 8).indices(of: segments))
        #expect(SegmentSampling(share: 1).indices(of: segments).count == 100)
    }
}
