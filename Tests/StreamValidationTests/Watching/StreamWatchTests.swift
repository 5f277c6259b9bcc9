import HLSPlaylist
import Synchronization
import Testing

@testable import StreamValidation

@Suite("A live presentation is watched over time", .timeLimit(.minutes(10)))
struct StreamWatchTests {
    /// The rules and playlists of findings about what happened, without advice and what a playlist shows at any time.
    static func findings(_ report: ValidationReport) -> Set<String> {
        func name(_ playlist: String) -> String {
            String(playlist.dropFirst(LiveChannel.host.count).prefix { $0 != "." })
        }
        let general: Set<String> = [
            "apple-target-duration", "apple-live-window-duration", "apple-single-bit-rate", "apple-no-delta-updates",
        ]
        return Set(
            report.findings.map { "\($0.rule) \(name($0.place.playlist))" }
                + report.playlistFindings.filter {
                    $0.diagnostic.severity > .note && !general.contains($0.diagnostic.rule.rawValue)
                        && name($0.file) != "main"
                }
                .map { "\($0.diagnostic.rule) \(name($0.file))" }
        )
    }

    /// Watches a channel in simulated time.
    static func watch(
        _ channel: LiveChannel,
        for limit: Duration,
        interval: Duration = .seconds(60),
        playlist: String = "main",
        notify: @escaping @Sendable (StreamWatch.Event) -> Void = { _ in }
    ) throws -> ValidationReport {
        var settings = StreamWatch.Settings()
        (settings.limit, settings.interval) = (limit, interval)
        let time = channel.time
        let watch = StreamWatch(resources: channel, settings: settings, clock: time) { LiveChannel.date(time.seconds) }
        let report = time.run { try? await watch.run(LiveChannel.host + playlist + ".m3u8", notify: notify) }
        return try #require(report ?? nil)
    }

    static func channel() throws -> LiveChannel { LiveChannel(time: SimulatedTime(), media: try MediaGenerator()) }

    // MARK: An hour

    @Test("An hour of a rotating channel with five faults: exactly those are found")
    func fiveFaults() throws {
        var channel = try Self.channel()
        // 1: after ten minutes, one variant stands still for half a minute.
        channel.delay = { name, now in
            name == "hd" && now > 600 ? (now < 630 ? 600 : now - 30) : now
        }
        channel.change = { name, now, snapshot in
            for index in snapshot.segments.indices {
                let number = snapshot.segments[index].number
                // 2: the key of the other variant changes one segment too late.
                if name == "sd", number == 400 {
                    (snapshot.segments[index].key, snapshot.segments[index].map) = ("skd://sd/7", "sd-init7.mp4")
                }
                // 3: the dates of audio leap.
                if name == "audio", number >= 500 {
                    snapshot.segments[index].date = snapshot.segments[index].date?.advanced(by: 5)
                }
                // 4: a segment gets another name while it is listed.
                if name == "hd", number == 600, now > 3060 { snapshot.segments[index].uri = "hd-600.m4s?version=2" }
            }
        }
        // 5: a segment is missing.
        channel.respond = { path, _, response in
            if path == "sd-300.m4s" { response.status = 404 }
        }
        let report = try Self.watch(channel, for: .seconds(3600))
        #expect(
            Self.findings(report) == [
                "watch-standstill hd", "live-key-changes-differ sd", "program-date-time-jump audio",
                "reload-segment-changed hd", "segment-missing sd",
            ]
        )
        let segments = report.presentation.renditions.map { $0.segments.count { $0.byteCount != nil } }
        #expect(segments.allSatisfy { (595...606).contains($0) }, "\(segments)")
    }

    // MARK: Clean channels

    enum Clean: String, CaseIterable {
        case sliding
        case audio
        case event
        case discontinuities
        case single
        case lowLatency
    }

    @Test("A channel without faults has no findings", arguments: Clean.allCases)
    func clean(_ kind: Clean) throws {
        var channel = try Self.channel()
        switch kind {
        case .sliding: break
        case .audio: channel.renditions = [("audio", .audio)]
        case .event: (channel.isEvent, channel.past) = (true, 10)
        case .discontinuities: channel.discontinuityPeriod = 30
        case .single: channel.renditions = [("hd", .video)]
        case .lowLatency: Self.makeLowLatency(&channel)
        }
        let name = kind == .single ? "hd" : kind == .audio ? "audio" : "main"
        let report = try Self.watch(channel, for: .seconds(kind == .sliding ? 3600 : 900), playlist: name)
        #expect(Self.findings(report) == [])
        #expect(report.presentation.renditions.allSatisfy { $0.segments.count > 100 })
    }

    static func makeLowLatency(_ channel: inout LiveChannel) {
        channel.isLowLatency = true
        channel.renditions = [("hd", .video), ("sd", .video)]
    }
}
