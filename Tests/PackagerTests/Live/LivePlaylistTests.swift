import HLSPlaylist
import Testing

@testable import Packager

@Suite("Live playlists")
struct LivePlaylistTests {
    private static let keys: [[KeyTag]] = (0..<9).map { number in
        ["com.apple.streamingkeydelivery", "com.example.drm"].map { format in
            KeyTag(
                method: .sampleAES,
                uri: "skd://\(format.count)-\(number)",
                keyFormat: KeyFormat(rawValue: format),
                keyFormatVersions: "1"
            )
        }
    }

    /// A segment of 6 seconds; keys change every two segments.
    private func segment(_ number: Int, isDiscontinuity: Bool = false) -> Rendition.Segment {
        var segment = Rendition.Segment(
            resource: Rendition.Resource(uri: "\(number + 1).m4s"),
            byteCount: 100_000,
            duration: RationalTime(6, timescale: 1)
        )
        segment.date = PlaylistDate(seconds: 1_800_000_000).advanced(by: 6 * Double(number))
        segment.isDiscontinuity = isDiscontinuity
        segment.keys = Self.keys[number / 2 % 9]
        segment.initialization = Rendition.Resource(uri: "init-\(number / 2 * 2 + 1).mp4")
        return segment
    }

    private func file(_ list: inout RenditionPlaylist) throws -> LintFile {
        try LintFile(name: "media.m3u8", bytes: list.playlist().write())
    }

    @Test(
        "are valid for the linter as their window moves, and so are the changes between them",
        arguments: [false, true]
    )
    func slides(isEvent: Bool) throws {
        var list = RenditionPlaylist(isEvent ? .event : .live, targetDuration: 6)
        var before: LintFile?
        for number in 0..<18 {
            list.append(segment(number, isDiscontinuity: number == 5 || number == 6))
            _ = list.removeFirst(list.excess(over: isEvent ? nil : .segments(5)))
            if number == 17 { list.end() }
            let after = try file(&list)
            #expect(Linter().check(after).isEmpty, "\(Linter().check(after))")
            if let before {
                let findings = Linter().check(reloadFrom: before, to: after)
                #expect(findings.isEmpty, "\(findings)")
            }
            before = after
        }
        #expect(list.sequence == (isEvent ? 0 : 13))
        #expect(list.discontinuitySequence == (isEvent ? 0 : 2))
        #expect(list.segments.count == (isEvent ? 18 : 5))
    }

    @Test("repeat what applies to the first segment: all keys, and the init segment")
    func keysAndMap() throws {
        var list = RenditionPlaylist(.live, targetDuration: 6)
        for number in 0..<8 { list.append(segment(number)) }
        _ = list.removeFirst(3)
        let segments = list.playlist().segments
        #expect(segments[0].keys == Self.keys[1])
        #expect(segments[0].map?.uri == "init-3.mp4")
        #expect(segments[1].keys == Self.keys[2])
        #expect(segments[2].tags.isEmpty)
    }

    @Test("continue from a written playlist")
    func resumes() throws {
        var list = RenditionPlaylist(.live, targetDuration: 6)
        for number in 0..<9 { list.append(segment(number, isDiscontinuity: number == 1)) }
        _ = list.removeFirst(4)
        let bytes = try list.playlist().write()
        var resumed = RenditionPlaylist(resuming: try MediaPlaylist(parsing: bytes), hasClearMap: false)
        #expect(resumed.nextSequence == 9)
        #expect(resumed.discontinuitySequence == 1)
        let before = try LintFile(name: "media.m3u8", bytes: bytes)
        resumed.append(segment(9, isDiscontinuity: true))
        let findings = Linter().check(reloadFrom: before, to: try file(&resumed))
        #expect(findings.isEmpty, "\(findings)")
        _ = resumed.removeFirst(1)
        #expect(resumed.playlist().segments[0].keys == Self.keys[2])
    }

    @Test("are never shorter than three Target Durations")
    func shortest() {
        var list = RenditionPlaylist(.live, targetDuration: 6)
        for number in 0..<20 {
            var short = segment(number)
            short.duration = RationalTime(2, timescale: 1)
            list.append(short)
            #expect(list.excess(over: .seconds(1)) == (number < 9 ? 0 : 1))
            _ = list.removeFirst(list.excess(over: .seconds(1)))
        }
        #expect(list.duration == 18)
    }
}
