import Foundation
import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("Reports are judged")
struct JudgmentTests {
    /// A presentation in memory with one violation of a SHOULD in a Media Playlist, and tags of the Multivariant Playlist.
    private static func report(
        _ variants: String = "#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS=\"avc1.640028\"\nv/media.m3u8",
        host: String = "films.example",
        query: String = "",
        durations: [Double] = [6, 6]
    ) throws -> ValidationReport {
        let base = "https://\(host)/film/"
        let lines = variants.replacing("v/media.m3u8", with: "v/media.m3u8\(query)")
        let main = try LintFile(name: "\(base)main.m3u8\(query)", bytes: Array("#EXTM3U\n\(lines)\n".utf8))
        let segments = durations.enumerated().map { "#EXTINF:\($1),\n\($0).ts\(query)\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n\(segments)#EXT-X-ENDLIST\n"
        let name = "\(base)v/media.m3u8\(query)"
        let file = try LintFile(name: name, bytes: Array(text.utf8))
        guard case .media(let playlist) = file.playlist else { throw ResourceFailure(reason: "not a Media Playlist") }
        var measured = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 5 + 2 * $0.index) }
        for index in measured.indices { measured[index].outcome = .missing(reason: "status 404") }
        let rendition = MeasuredRendition(
            name: name,
            file: file,
            playlist: playlist,
            roles: PlaylistReferences(main).references.first?.roles ?? .init(),
            segments: measured
        )
        return ValidationReport(MeasuredPresentation(multivariant: main, renditions: [rendition]))
    }

    private static func judgment(
        _ report: ValidationReport,
        _ change: (inout JudgmentSettings) -> Void = { _ in }
    ) -> Judgment {
        var settings = JudgmentSettings()
        settings.today = "2026-11-27"
        change(&settings)
        return Judgment(report, settings: settings)
    }

    private static func ids(_ judgment: Judgment) -> Set<RuleID> { Set(judgment.findings.map(\.rule.id)) }

    // MARK: Targets

    @Test("with the level of each target: tvOS requires what the general list recommends")
    func amendedLevel() throws {
        let report = try Self.report(
            "#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS=\"hvc1.2.4.L93.B0\",RESOLUTION=1280x720,FRAME-RATE=60.000,"
                + "VIDEO-RANGE=PQ\nv/media.m3u8"
        )
        let rule: RuleID = "apple-hdr-only-high-frame-rate"
        let general = try #require(Self.judgment(report).findings.first { $0.rule.id == rule })
        #expect(general.level == .should && general.levels[.tvos] == .must && general.levels[.ios] == .should)
        let tvOS = Self.judgment(report) { $0.targets = [.tvos] }
        let finding = try #require(tvOS.findings.first { $0.rule.id == rule })
        #expect(finding.level == .must && finding.levels == [.tvos: .must])
        #expect(tvOS.verdicts.map(\.target) == [.tvos] && tvOS.verdicts[0].counts[.must] ?? 0 > 0)
        #expect(tvOS.failures(.must).contains { $0.rule.id == rule })
        #expect(!Self.judgment(report).failures(.must).contains { $0.rule.id == rule })
    }

    @Test("without a requirement that a target drops")
    func droppedRequirement() throws {
        let report = try Self.report(
            "#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS=\"dvh1.05.08\",VIDEO-RANGE=PQ\nv/media.m3u8"
        )
        let rule: RuleID = "apple-dolby-vision-level"
        let finding = try #require(Self.judgment(report).findings.first { $0.rule.id == rule })
        #expect(finding.levels[.tvos] == .should && finding.levels[.ios] == nil && finding.levels[.visionos] == nil)
        #expect(!Self.ids(Self.judgment(report) { $0.targets = [.ios] }).contains(rule))
    }

    @Test(
        "with the limits of each target for H.264",
        arguments: [(50, []), (51, ["macos-h264-level"]), (52, ["macos-h264-level", "tvos-h264-level"])]
            as [(Int, [RuleID])]
    )
    func h264Level(level: Int, rules: [RuleID]) throws {
        let codec = "avc1.6400" + String(level, radix: 16)
        let report = try Self.report("#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS=\"\(codec)\"\nv/media.m3u8")
        let found = Self.ids(Self.judgment(report)).filter { $0.rawValue.hasSuffix("-h264-level") }
        #expect(found == Set(rules))
    }

    @Test("A requirement of one target is reported without a selection, but does not decide")
    func requirementOfOneTarget() throws {
        let report = try Self.report()
        let general = Self.judgment(report)
        let finding = try #require(general.findings.first { $0.rule.id == "ios-cellular-variant" })
        #expect(finding.levels == [.ios: .must] && !finding.counts)
        let all = Self.judgment(report) { $0.targets = Set(ValidationTarget.allCases) }
        #expect(all.failures(.must).contains { $0.rule.id == "ios-cellular-variant" })
        let mac = Self.judgment(report) { $0.targets = [.macos] }
        #expect(!Self.ids(mac).contains("ios-cellular-variant"))
        let slow = try Self.report("#EXT-X-STREAM-INF:BANDWIDTH=192000,CODECS=\"avc1.640028\"\nv/media.m3u8")
        #expect(!Self.ids(Self.judgment(slow)).contains("ios-cellular-variant"))
    }

    @Test("with the requirements that only one target has")
    func targetRules() throws {
        let variants = """
            #EXT-X-STREAM-INF:BANDWIDTH=900000,AVERAGE-BANDWIDTH=800000,CODECS="hvc1.2.4.L93.B0",VIDEO-RANGE=PQ,\
            RESOLUTION=640x360
            v/media.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2200000,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.640028",RESOLUTION=960x540
            w.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=170000,AVERAGE-BANDWIDTH=145000,CODECS="avc1.64000D",RESOLUTION=416x234
            x.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
            y.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,CODECS="av01.0.04M.08",URI="z.m3u8"
            """
        let found = Self.ids(Self.judgment(try Self.report(variants)))
        let expected: Set<RuleID> = [
            "tvos-lowest-variant", "tvos-audio-only-variant", "default-variant-rate", "airplay2-i-frame-codec",
            "airplay2-hdr-formats",
        ]
        #expect(found.isSuperset(of: expected), "\(expected.subtracting(found))")
        let finding = Self.judgment(try Self.report(variants)).findings.first { $0.rule.id == "default-variant-rate" }
        #expect(finding?.levels[.ios] == nil && finding?.levels[.general] == nil && finding?.levels[.tvos] == .should)
        #expect(finding?.place.line == 2)
        let clean = Self.ids(Self.judgment(try Self.report()))
        #expect(clean.isDisjoint(with: expected), "\(clean)")
    }

    // MARK: Severities and profiles

    @Test("with the levels that the operator gives, and without rules that are off")
    func severities() throws {
        let report = try Self.report()
        let rule: RuleID = "segment-missing"
        #expect(Self.judgment(report).findings.first?.rule.id == rule)
        let advice = Self.judgment(report) { $0.severities[rule] = .level(.advice) }
        #expect(advice.findings.first { $0.rule.id == rule }?.level == .advice && advice.failures(.critical).isEmpty)
        let off = Self.judgment(report) { $0.severities[rule] = .off }
        #expect(!Self.ids(off).contains(rule) && !off.skipped.contains { $0.rule == rule })
    }

    @Test("by the rules of the profile")
    func profiles() throws {
        let report = try Self.report()
        let container = Self.judgment(report) { $0.profile = .cmaf }
        #expect(Self.ids(container) == ["segment-missing"])
        let sections = Set(RuleCatalog.rules(of: .cmaf).map(\.number.source))
        #expect(sections == ["cmaf", "general", "8216bis"])
        #expect(!RuleCatalog.rules(of: .apple).contains { $0.number.source == "cmaf" })
        #expect(RuleCatalog.rules(of: .all).count == RuleCatalog.all.count)
    }

    // MARK: Exceptions

    @Test("without what is suppressed, until the last day")
    func suppression() throws {
        let report = try Self.report()
        var exception = FindingException(
            .suppression,
            rule: "segment-missing",
            place: PlacePattern("v/*.m3u8"),
            reason: "known",
            expires: "2026-11-27"
        )
        let known = Self.judgment(report) { $0.exceptions = [exception] }
        let finding = try #require(known.findings.first { $0.rule.id == "segment-missing" })
        #expect(finding.exception == exception && !finding.counts && known.unusedExceptions.isEmpty)
        #expect(known.verdicts.allSatisfy { $0.counts[.critical] == nil } && known.failures(.critical).isEmpty)
        #expect(known.findings.last?.rule.id == "segment-missing", "known findings are last")
        exception.expires = "2026-11-26"
        let expired = Self.judgment(report) { $0.exceptions = [exception] }
        #expect(!expired.failures(.critical).isEmpty && expired.unusedExceptions.map(\.cause) == [.expired])
        exception.place = PlacePattern("w/*.m3u8")
        exception.expires = nil
        let elsewhere = Self.judgment(report) { $0.exceptions = [exception] }
        #expect(!elsewhere.failures(.critical).isEmpty && elsewhere.unusedExceptions.map(\.cause) == [.unmatched])
    }

    @Test("without what the baseline has, from another host with another token; and with what is new")
    func baseline() throws {
        let baseline = Self.judgment(try Self.report()).baseline(reason: "known")
        let moved = try Self.report(host: "10.0.0.1:8080", query: "?token=2")
        let known = Self.judgment(moved) { $0.exceptions = baseline }
        #expect(known.findings.allSatisfy { !$0.counts }, "\(known.findings.filter(\.counts).map(\.placeKey))")
        #expect(known.unusedExceptions.isEmpty)
        let worse = Self.judgment(try Self.report(durations: [6, 6, 6])) { $0.exceptions = baseline }
        #expect(worse.failures(.critical).map(\.rule.id) == ["segment-missing"])
        #expect(worse.unusedExceptions.map(\.cause) == [.exceeded])
        var corrected = try Self.report()
        corrected = ValidationReport(
            MeasuredPresentation(multivariant: corrected.presentation.multivariant, renditions: [])
        )
        let better = Self.judgment(corrected) { $0.exceptions = baseline }
        #expect(better.unusedExceptions.contains { $0.exception.rule == "segment-missing" && $0.cause == .unmatched })
    }

    @Test("A second baseline with the first one applied has the same entries, but no suppressions")
    func baselineOfBaseline() throws {
        let report = try Self.report()
        let first = Self.judgment(report).baseline(reason: "known")
        #expect(Self.judgment(report) { $0.exceptions = first }.baseline(reason: "known") == first)
        let suppression = FindingException(.suppression, rule: "segment-missing", place: nil, reason: "known")
        let second = Self.judgment(report) { $0.exceptions = [suppression] }.baseline(reason: "known")
        #expect(second == first.filter { $0.rule != "segment-missing" } && second != first)
    }

    @Test("at places that name what a line is about, and not its number")
    func placeKeys() throws {
        let report = try Self.report(query: "?token=secret")
        let keys = PlaceKeys(report.presentation)
        let main = "https://films.example/film/main.m3u8?token=secret"
        #expect(keys.key(of: .init(main, line: 2)) == "main.m3u8#v/media.m3u8")
        #expect(keys.key(of: .init(main)) == "main.m3u8")
        let media = "https://films.example/film/v/media.m3u8?token=secret"
        #expect(keys.key(of: .init(media, line: 2)) == "v/media.m3u8#EXT-X-TARGETDURATION")
        #expect(keys.key(of: .init(media, line: 5)) == "v/media.m3u8#0.ts")
        #expect(keys.key(of: .init("https://user:secret@cdn.example/a/b.m3u8?t=1#x")) == "/a/b.m3u8")
    }

    @Test(
        "Patterns match places",
        arguments: [
            ("v/media.m3u8", true), ("v/*", true), ("*", true), ("*.m3u8", true), ("v/media.m3u8#0.ts", true),
            ("*#*.ts", true), ("v", false), ("*.ts", false), ("v/media.m3u8#1.ts", false), ("**v**u8**", true),
            ("v/media.m3u", false), ("", false),
        ]
    )
    func patterns(text: String, matches: Bool) {
        #expect((PlacePattern(text)?.matches("v/media.m3u8#0.ts") ?? false) == matches)
    }

    @Test("Patterns have a maximum size, and take no exponential time")
    func patternBounds() throws {
        #expect(PlacePattern(String(repeating: "a", count: PlacePattern.maximumSize + 1)) == nil)
        let pattern = try #require(PlacePattern(String(repeating: "*a", count: 500) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 5000)))
    }
}
