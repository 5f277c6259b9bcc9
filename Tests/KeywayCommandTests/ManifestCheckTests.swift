import Foundation
import OwnThreads
import Testing

@testable import keyway

/// Tests of `keyway playlist check` with DASH manifests.
@Suite("keyway playlist check of DASH manifests", .ownThreads)
struct ManifestCheckTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    /// A live manifest: a Period with an audio representation.
    private static func manifest(published: String, timeline: String, codecs: String = "mp4a.40.2") -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a channel -->
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" \
            availabilityStartTime="2026-01-01T00:00:00Z" publishTime="\(published)" minimumUpdatePeriod="PT2S" \
            minBufferTime="PT2S" timeShiftBufferDepth="PT12S" maxSegmentDuration="PT5S">
            <Period id="0" start="PT0S"><AdaptationSet id="0" contentType="audio" mimeType="audio/mp4">
            <Representation id="audio" bandwidth="128000" codecs="\(codecs)">
            <SegmentTemplate timescale="1" \(timeline)</SegmentTimeline></SegmentTemplate>
            </Representation></AdaptationSet></Period></MPD>
            """.utf8
        )
    }

    private static let first = manifest(
        published: "2026-01-01T00:00:12Z",
        timeline:
            #"initialization="init.mp4" media="$Number$.m4s" startNumber="1"><SegmentTimeline><S t="0" d="4" r="2"/>"#
    )
    private static let second = manifest(
        published: "2026-01-01T00:00:16Z",
        timeline:
            #"initialization="init.mp4" media="$Number$.m4s" startNumber="2"><SegmentTimeline><S t="4" d="4" r="2"/>"#
    )

    @Test("A valid manifest has no findings, alone and compared with an earlier version")
    func sound() throws {
        _ = try tool.file("first.mpd", Self.first)
        _ = try tool.file("second.mpd", Self.second)
        let alone = try tool.run(["playlist", "check", "first.mpd", "--fail-on", "warning"])
        #expect(alone.status == 0 && alone.text == "no findings in 1 manifest\n", "\(alone.text)\(alone.errors)")
        #expect(alone.errors.isEmpty)
        let both = try tool.run(["playlist", "check", "second.mpd", "--previous", "first.mpd", "--fail-on", "warning"])
        #expect(both.status == 0, "\(both.text)")
        let json = try tool.run(["playlist", "check", "first.mpd", "--json"]).json()
        let files = try #require(json["files"] as? [[String: Any]])
        #expect(files.compactMap { $0["kind"] as? String } == ["manifest"])
    }

    @Test("Findings have rule, location and section, and rules can be selected")
    func findings() throws {
        let text = String(decoding: Self.first, as: UTF8.self)
        _ = try tool.file(
            "bad.mpd",
            Array(text.replacing(" codecs=\"mp4a.40.2\"", with: "").replacing("id=\"0\"", with: "").utf8)
        )
        let run = try tool.run(["playlist", "check", "bad.mpd"])
        #expect(run.status == 1, "\(run.text)")
        #expect(run.text.contains("error  period-id-missing  5.3.2.2"), "\(run.text)")
        #expect(run.text.contains("  bad.mpd: Period 1: the Period has no id"), "\(run.text)")
        #expect(run.text.hasSuffix("1 error, 1 warning, 0 notes in 1 manifest\n"), "\(run.text)")
        #expect(run.errors.contains("see docs/dash-rules.md for the rules"))
        let some = try tool.run(["playlist", "check", "bad.mpd", "--disable", "period-id-missing", "--json"])
        #expect(some.status == 0)
        let found = try #require(try some.json()["findings"] as? [[String: Any]])
        #expect(found.compactMap { $0["rule"] as? String } == ["codecs-missing"])
        #expect(found.compactMap { $0["line"] as? Int } == [0])
    }

    @Test("Forbidden changes between two versions are found")
    func reload() throws {
        _ = try tool.file("first.mpd", Self.first)
        _ = try tool.file("second.mpd", Self.second)
        let run = try tool.run(["playlist", "check", "first.mpd", "--previous", "second.mpd"])
        #expect(run.status == 1)
        #expect(run.text.contains("reload-publish-time") && run.text.contains("reload-segment-removed"), "\(run.text)")
    }

    @Test("Input that is not a manifest, or cannot be watched, is reported")
    func refusals() throws {
        _ = try tool.file("first.mpd", Self.first)
        _ = try tool.file("cut.mpd", Array(Self.first.dropLast(20)))
        _ = try tool.file("media.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#<MPD\n".utf8))
        let cut = try tool.run(["playlist", "check", "cut.mpd"])
        #expect(cut.status == 1 && cut.text.contains("no-manifest"), "\(cut.text)")
        let mixed = try tool.run(["playlist", "check", "first.mpd", "--previous", "media.m3u8"])
        #expect(mixed.status == 1 && mixed.errors.contains("not a DASH manifest"), "\(mixed.errors)")
        let watch = try tool.run(["playlist", "check", "first.mpd", "--watch", "1"])
        #expect(watch.status == 1 && watch.errors.contains("--watch"), "\(watch.errors)")
        let playlist = try tool.run(["playlist", "check", "media.m3u8", "--json", "--fail-on", "never"])
        #expect(playlist.text.contains("\"media\""), "\(playlist.text)")
    }
}
