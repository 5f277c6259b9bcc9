import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("What was not validated is listed")
struct SkippedCheckTests {
    private static func presentation(
        _ outcomes: [MeasuredSegment.Outcome],
        tags: String = ""
    ) throws -> MeasuredPresentation {
        let segments = outcomes.indices.map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(tags)\(segments)#EXT-X-ENDLIST\n"
        let file = try LintFile(name: "media.m3u8", bytes: Array(text.utf8))
        guard case .media(let playlist) = file.playlist else { throw ResourceFailure(reason: "not a Media Playlist") }
        var measured = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 4) }
        for (index, outcome) in outcomes.enumerated() { measured[index].outcome = outcome }
        let rendition = MeasuredRendition(
            name: "media.m3u8",
            file: file,
            playlist: playlist,
            roles: .init(),
            segments: measured
        )
        return MeasuredPresentation(multivariant: nil, renditions: [rendition])
    }

    private static let whole = MeasuredSegment.Outcome.measured(.init(container: .mp4, byteCount: 1000))

    private static func judgment(
        _ presentation: MeasuredPresentation,
        _ change: (inout JudgmentSettings) -> Void = { _ in }
    ) -> Judgment {
        var settings = JudgmentSettings()
        change(&settings)
        return Judgment(ValidationReport(presentation), settings: settings)
    }

    private static func reasons(_ judgment: Judgment, _ rule: RuleID) -> Set<SkippedCheck.Reason> {
        Set(judgment.skipped.filter { $0.rule == rule }.map(\.reason))
    }

    @Test("with the reason that segments were not loaded, and then the result is partial")
    func notSampled() throws {
        let partial = Self.judgment(try Self.presentation([Self.whole, .skipped]))
        #expect(partial.isPartial && Self.reasons(partial, "extinf-wrong") == [.notSampled])
        #expect(Self.reasons(partial, "codecs-differ").isEmpty, "one segment shows the format")
        let none = Self.judgment(try Self.presentation([.skipped, .skipped]))
        #expect(none.isPartial && Self.reasons(none, "codecs-differ") == [.notSampled])
        let complete = Self.judgment(try Self.presentation([Self.whole, Self.whole]))
        #expect(!complete.isPartial && Self.reasons(complete, "extinf-wrong").isEmpty)
    }

    @Test("with the reason that a key is needed")
    func needsKey() throws {
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"https://keys.example/1\"\n"
        let sealed = Self.judgment(try Self.presentation([.sealed(byteCount: 1000)], tags: key))
        #expect(Self.reasons(sealed, "extinf-wrong") == [.needsKey] && !sealed.isPartial)
        #expect(Self.reasons(sealed, "codecs-differ") == [.needsKey])
    }

    @Test("with the reasons that nothing was loaded over HTTP, and that no live stream was watched")
    func files() throws {
        var presentation = try Self.presentation([Self.whole])
        let judgment = Self.judgment(presentation)
        #expect(Self.reasons(judgment, "not-secure") == [.notHTTP])
        let reload = try #require(RuleCatalog.all.first { $0.need == .reloads })
        #expect(Self.reasons(judgment, reload.id) == [.liveOnly])
        #expect(Self.reasons(Self.judgment(presentation) { $0.isWatched = true }, reload.id).isEmpty)
        presentation.renditions[0].http = HTTPObservation()
        #expect(Self.reasons(Self.judgment(presentation), "not-secure").isEmpty)
    }

    @Test("with the requirements that no rule checks")
    func withoutRule() throws {
        let skipped = Self.judgment(try Self.presentation([Self.whole])).skipped
        let inStream = try #require(skipped.first { $0.number.section == "2.22" })
        #expect(inStream.rule == nil && inStream.reason == .noRule)
        #expect(skipped.contains { $0.number.section == "1.15" && $0.reason == .needsPerson })
        #expect(
            !Self.judgment(try Self.presentation([Self.whole])) { $0.profile = .cmaf }.skipped.contains {
                $0.rule == nil
            }
        )
    }
}
