import DASHManifest
import Foundation
import Testing
import VectorFiles

@Suite("Rules for DASH manifests")
struct MPDRuleTests {
    /// A change of a valid manifest that violates a rule, and possibly others.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let change: @Sendable (inout MPD) -> Void
        var testDescription: String { rule }

        init(_ rule: String, _ change: @escaping @Sendable (inout MPD) -> Void) {
            self.rule = rule
            self.change = change
        }

        /// A change of the video AdaptationSet.
        static func video(_ rule: String, _ change: @escaping @Sendable (inout AdaptationSet) -> Void) -> Case {
            Case(rule) { change(&$0.periods[0].adaptationSets[0]) }
        }

        /// A change of the audio AdaptationSet.
        static func audio(_ rule: String, _ change: @escaping @Sendable (inout AdaptationSet) -> Void) -> Case {
            Case(rule) { change(&$0.periods[0].adaptationSets[1]) }
        }
    }

    static let cases: [Case] = [
        Case("mpd-without-period") { $0.periods = [] },
        Case("duration-missing") { manifest in
            manifest.duration = nil
            manifest.periods[0].duration = nil
        },
        Case("period-order") { manifest in
            manifest.periods.append(Period(id: "1", start: ManifestDuration(seconds: 0), adaptationSets: []))
        },
        Case("period-overlap") { manifest in
            manifest.periods.append(Period(id: "1", start: ManifestDuration(seconds: 9), adaptationSets: []))
        },
        Case("duplicate-period-id") { $0.periods.append(Period(id: "0", adaptationSets: [])) },
        .audio("duplicate-set-id") { $0.id = 0 },
        .audio("duplicate-representation-id") { $0.representations[0].id = "video-360" },
        .audio("representation-id-space") { $0.representations[0].id = "a b" },
        .audio("set-empty") { $0.representations = [] },
        .audio("mime-type-missing") { $0.mimeType = nil },
        .audio("codecs-missing") { $0.representations[0].codecs = nil },
        .video("codecs-mixed") { $0.representations[0].codecs = "hvc1.1" },
        .audio("bandwidth-zero") { $0.representations[0].bandwidth = 0 },
        .video("resolution-missing") { $0.representations[0].height = nil },
        .audio("language-malformed") { $0.language = "English (UK)" },
        .audio("role-unknown") { $0.roles = [.role("first")] },
        .video("alignment-missing") { $0.hasAlignedSegments = false },
        .video("segments-missing") { $0.representations[0].template = nil },
        .audio("template-and-segment-base") { $0.template = videoSet.representations[0].template },
        .audio("timescale-zero") { $0.representations[0].base?.timescale = 0 },
        .video("template-without-number") { $0.representations[0].template?.media = "a.m4s" },
        .video("template-identifier") { $0.representations[0].template?.media = "$Number$$Nummer$" },
        .video("template-identifier") { $0.representations[0].template?.media = "$Number%5d$" },
        .video("template-identifier") { $0.representations[0].template?.media = "$Number$$" },
        .video("template-identifier") { $0.representations[0].template?.initialization = "$Time$" },
        .video("timeline-missing") { $0.representations[0].template?.timeline = [] },
        .video("timeline-duration-zero") { $0.representations[0].template?.timeline[0].duration = 0 },
        .video("timeline-overlap") { $0.representations[0].template?.timeline[1].time = 7999 },
        .video("timeline-overlap") { $0.representations[0].template?.timeline[0].repeats = .max },
        .video("timeline-gap") { $0.representations[0].template?.timeline[1].time = 8001 },
        .video("timeline-period") { $0.representations[0].template?.timeline[0].repeats = 5 },
        .audio("index-missing") { $0.representations[0].base?.indexRange = nil },
        .audio("index-overlap") { $0.representations[0].base?.indexRange = 799..<900 },
        .audio("file-missing") { $0.representations[0].baseURL = nil },
        .video("protection-without-scheme") { $0.protections.removeFirst() },
        .video("protection-scheme-unknown") { $0.protections[0].value = "cbc" },
        .video("key-id-missing") { $0.protections[0].defaultKeyID = nil },
        .video("key-id-malformed") { $0.protections[0].defaultKeyID = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf" },
        .video("set-with-several-keys") { set in
            let other = ContentProtection(scheme: "cbcs", keyID: "00000000-0000-0000-0000-000000000000")
            set.representations[0].protections = [other]
        },
        .video("set-with-several-schemes") { set in
            let other = ContentProtection(scheme: "cenc", keyID: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf")
            set.representations[0].protections = [other]
        },
        .video("fairplay-with-counter") { set in
            set.protections[0].value = "cenc"
            set.protections.append(ContentProtection(systemID: "94ce86fb-07ff-4f43-adb8-93d2fa968ca2", name: nil))
        },
        .video("duplicate-system") { $0.protections.append($0.protections[1]) },
        .video("pssh-malformed") { $0.protections[1].pssh = "AAAA" },
        .video("pssh-malformed") { $0.protections[1].scheme = "urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95" },
        .video("playready-object-malformed") { $0.protections[1].playReadyObject = "AAAACg" },
        .video("license-url-malformed") { $0.protections[1].licenseURL = "skd://license" },
        .video("license-url-malformed") { $0.protections[1].certificateURL = "https:///certificate" },
    ]

    /// Changes of a dynamic manifest.
    static let liveCases: [Case] = [
        Case("type-unknown") { $0.type = "live" },
        Case("availability-start-missing") { $0.availabilityStart = nil },
        Case("publish-time-missing") { $0.publishTime = nil },
        Case("static-with-updates") { $0.type = "static" },
        Case("end-unknown") { $0.minimumUpdatePeriod = nil },
        Case("period-id-missing") { $0.periods[1].id = nil },
        Case("period-start-unknown") { $0.periods[1].start = nil },
        Case("period-start-unknown") { $0.periods[0].start = nil },
        Case("delay-beyond-window") { $0.suggestedPresentationDelay = ManifestDuration(seconds: 17) },
        Case("segment-too-long") { $0.maximumSegmentDuration = ManifestDuration(seconds: 3.9) },
        Case("latency-order") { $0.serviceDescription = lowLatency(target: 500) },
        Case("latency-order") { $0.serviceDescription = lowLatency(target: 4001) },
        Case("latency-reference") { manifest in
            manifest.serviceDescription = lowLatency()
            manifest.periods[0].adaptationSets[0].producerReferenceTime = reference
        },
        .video("incomplete-without-offset") { $0.representations[0].template?.availabilityTimeComplete = false },
        .video("incomplete-without-offset") { set in
            set.representations[0].template?.availabilityTimeComplete = false
            set.representations[0].template?.availabilityTimeOffset = 0
        },
        // Old segments may have been removed, but no segment may be before or after its Period.
        Case("timeline-period") { $0.periods[1].start = ManifestDuration(seconds: 7) },
        .video("timeline-period") { $0.representations[0].template?.presentationTimeOffset = 9000 },
    ]

    @Test("A valid manifest has no findings", arguments: [sample, liveSample, lowLatencySample])
    func sound(_ manifest: MPD) throws {
        #expect(MPDChecker().check(manifest) == [])
        #expect(try MPD(manifest.bytes) == manifest, "a written manifest is parsed as the same manifest")
    }

    @Test("Violations in a dynamic manifest are found", arguments: liveCases)
    func foundLive(_ test: Case) {
        var manifest = liveSample
        test.change(&manifest)
        let findings = MPDChecker().check(manifest)
        #expect(findings.contains { $0.rule == test.rule }, "found: \(findings)")
    }

    @Test("Violations are found", arguments: cases)
    func found(_ test: Case) {
        var manifest = sample
        test.change(&manifest)
        let findings = MPDChecker().check(manifest)
        #expect(findings.contains { $0.rule == test.rule }, "found: \(findings)")
    }

    @Test("Every rule has a case")
    func complete() {
        let cases = (Self.cases + Self.liveCases + MPDReloadRuleTests.cases).map(\.rule)
        #expect(Set(MPDRule.all.map(\.id)) == Set(cases))
    }

    @Test("docs/dash-rules.md lists every rule in the order of the code")
    func catalog() throws {
        let path = VectorFile.root.deletingLastPathComponent().appending(path: "docs/dash-rules.md")
        let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let rules = MPDRule.all.map { "| `\($0.id)` | \($0.severity.rawValue) | \($0.section) | \($0.summary) |" }
        #expect(rows.map(String.init) == rules)
    }
}
