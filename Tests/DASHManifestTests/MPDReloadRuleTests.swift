import DASHManifest
import Testing

@Suite("Rules for reloads of DASH manifests")
struct MPDReloadRuleTests {
    typealias Case = MPDRuleTests.Case

    /// The next version of the sample: in each Representation, one segment was added and one was removed.
    private static var next: MPD {
        var manifest = liveSample
        manifest.publishTime = ManifestDate("2026-01-01T00:00:26Z")
        for index in 0...1 {
            manifest.periods[0].adaptationSets[0].representations[index].template?.removeFirst()
            manifest.periods[1].adaptationSets[0].representations[index].template?.append(duration: 4000, at: 20_000)
        }
        return manifest
    }

    /// A change of the AdaptationSet of the last Period.
    private static func last(_ rule: String, _ change: @escaping @Sendable (inout AdaptationSet) -> Void) -> Case {
        Case(rule) { change(&$0.periods[1].adaptationSets[0]) }
    }

    /// Changes of the later version.
    static let cases: [Case] = [
        Case("reload-availability-start") { $0.availabilityStart = ManifestDate("2026-01-01T00:00:01Z") },
        Case("reload-availability-start") { $0.availabilityStart = nil },
        Case("reload-publish-time") { $0.publishTime = liveSample.publishTime },
        Case("reload-publish-time") { $0.publishTime = ManifestDate("2025-12-31T23:59:59Z") },
        Case("reload-period-order") { $0.periods.swapAt(0, 1) },
        Case("reload-period-order") { $0.periods.insert(Period(id: "5", adaptationSets: []), at: 1) },
        Case("reload-period-start") { $0.periods[1].start = ManifestDuration(seconds: 12.001) },
        last("reload-representation") { $0.representations[0].codecs = "avc1.4d401e" },
        last("reload-representation") { $0.representations[1].template?.presentationTimeOffset = 11_000 },
        last("reload-representation") { $0.representations[1].template?.initialization = "video-360/init-9.mp4" },
        last("reload-representation") { $0.protections[0].defaultKeyID = "00000000-0000-0000-0000-000000000000" },
        last("reload-segment-changed") { $0.representations[0].template?.timeline[0].duration = 4001 },
        last("reload-segment-changed") { $0.representations[0].template?.timeline[0].time = 12_001 },
        // The times are the same, but the numbers differ, so the file names differ too.
        last("reload-segment-changed") { $0.representations[0].template?.startNumber = 5 },
        Case("reload-segment-removed") { manifest in
            manifest.periods[0].adaptationSets[0].representations[0].template?.removeFirst()
            manifest.periods[1].adaptationSets[0].representations[0].template?.removeFirst()
        },
        Case("reload-segment-removed") { $0.timeShiftBufferDepth = ManifestDuration(seconds: 19) },
        Case("reload-segment-removed") { $0.periods.removeLast() },
        last("reload-segment-removed") { $0.representations.removeLast() },
        last("reload-segment-removed") { $0.representations[0].template?.timeline[0].repeats = 0 },
        Case("reload-type") { $0.type = "dynamic" },
        Case("reload-after-end") { $0.publishTime = ManifestDate("2026-01-01T00:00:27Z") },
    ]

    private func findings(from before: MPD, to after: MPD) -> [String] {
        MPDChecker().check(reloadFrom: before, to: after).map(\.rule)
    }

    @Test("A manifest that adds segments, does not change, removes a Period or ends has no findings")
    func sound() {
        let next = Self.next
        #expect(MPDChecker().check(next) == [])
        #expect(findings(from: liveSample, to: next) == [])
        #expect(findings(from: next, to: next) == [])
        var later = next
        later.publishTime = ManifestDate("2026-01-01T00:00:28Z")
        later.periods.removeFirst()
        #expect(findings(from: next, to: later) == [])
        later.duration = ManifestDuration(seconds: 24)
        later.minimumUpdatePeriod = nil
        #expect(findings(from: next, to: later) == [])
    }

    @Test("Violations are found", arguments: cases)
    func found(_ test: Case) {
        var before = liveSample
        if test.rule == "reload-type" { before.type = "static" }
        if test.rule == "reload-after-end" { before.minimumUpdatePeriod = nil }
        var after = Self.next
        test.change(&after)
        let found = findings(from: before, to: after)
        #expect(found.contains(test.rule), "found: \(found)")
    }

    @Test("Only the last segment of a manifest with low latency may get another duration")
    func incompleteSegments() {
        var after = lowLatencySample
        after.publishTime = ManifestDate("2026-01-01T00:00:26Z")
        let change = { (manifest: inout MPD, body: (inout SegmentTemplate) -> Void) in
            for index in 0...1 {
                guard var template = manifest.periods[1].adaptationSets[0].representations[index].template else {
                    continue
                }
                body(&template)
                manifest.periods[1].adaptationSets[0].representations[index].template = template
            }
        }
        change(&after) { template in
            template.changeLastDuration(to: 3000)
            template.append(duration: 4000, at: 19_000)
        }
        #expect(findings(from: lowLatencySample, to: after) == [])
        change(&after) { $0.timeline[0].duration = 3999 }
        #expect(findings(from: lowLatencySample, to: after).contains("reload-segment-changed"))
        var moved = lowLatencySample
        moved.publishTime = after.publishTime
        change(&moved) { template in
            template.removeLast()
            template.append(duration: 4000, at: 16_001)
        }
        #expect(findings(from: lowLatencySample, to: moved).contains("reload-segment-changed"))
    }

    @Test("A timeline of billions of segments is compared quickly")
    func greatTimelines() {
        var before = liveSample
        before.periods[1].adaptationSets[0].representations[0].template?.timeline = [
            .init(time: 12_000, duration: 1, repeats: .max / 2)
        ]
        var after = Self.next
        after.periods[1].adaptationSets[0].representations[0].template?.timeline = [
            .init(time: 12_001, duration: 1, repeats: .max / 2)
        ]
        #expect(findings(from: before, to: after).contains("reload-segment-changed"))
        after.periods[1].adaptationSets[0].representations[0].template?.timeline = [
            .init(time: .max, duration: .max, repeats: .max)
        ]
        #expect(findings(from: before, to: after).contains("reload-segment-removed"))
    }
}
