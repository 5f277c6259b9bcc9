import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("Reloading a live playlist")
struct LiveReloadTests {
    /// Returns a reload state with segments 10 to 14 at second 0.
    private func running(
        _ control: ServerControlTag? = nil,
        settings: LiveReloadSettings = LiveReloadSettings()
    ) -> LiveReload {
        var reload = LiveReload(settings: settings)
        _ = reload.start(now: .zero)
        _ = reload.loaded(live(10..<15, control: control), began: .zero, now: .zero)
        return reload
    }

    @Test("the first load starts at once and has no directives")
    func first() {
        var reload = LiveReload()
        #expect(reload.start(now: .seconds(3)).names == ["load@3000.0"])
        let actions = reload.loaded(live(10..<15), began: .seconds(3), now: .seconds(4))
        #expect(actions.names == ["use 10+5", "load@9000.0"])
    }

    @Test("the next load starts a target duration after the previous one if the playlist changed, otherwise half of it")
    func pauses() {
        var reload = running()
        #expect(
            reload.loaded(live(11..<16), began: .seconds(6), now: .seconds(7)).names == ["use 11+5", "load@12000.0"]
        )
        #expect(reload.loaded(live(11..<16), began: .seconds(12), now: .seconds(13)).names == ["load@16000.0"])
        // A load that took longer than the target duration.
        #expect(
            reload.loaded(live(12..<17), began: .seconds(16), now: .seconds(30)).names == ["use 12+5", "load@30000.0"]
        )
    }

    @Test(
        "very small and large target durations are clamped",
        arguments: [(UInt64(0), 1), (1, 1), (3600, 3600), (.max, 3600)]
    )
    func hostileTarget(target: UInt64, seconds: Int) {
        var reload = LiveReload()
        let actions = reload.loaded(live(10..<15, target: target), began: .zero, now: .zero)
        #expect(actions.names == ["use 10+5", "load@\(Double(seconds) * 1000)"])
    }

    @Test("a playlist that has ended ends the reloads, with its last segments")
    func end() {
        var reload = running()
        let actions = reload.loaded(live(11..<16, isEnded: true), began: .seconds(6), now: .seconds(6))
        #expect(actions.names == ["use 11+5", "ended"])
        #expect(reload.isOver)
        #expect(reload.loaded(live(12..<17), began: .seconds(12), now: .seconds(12)).isEmpty)
        #expect(reload.failed(began: .seconds(12), now: .seconds(12)).isEmpty)
        #expect(reload.start(now: .seconds(12)).isEmpty)
        var vod = LiveReload()
        var playlist = live(0..<3)
        playlist.playlistType = .vod
        #expect(vod.loaded(playlist, began: .zero, now: .zero).names == ["use 0+3", "ended"])
    }

    @Test("a stale playlist is reported once after 1.5 target durations, and ends the reloads if it stays stale")
    func staleness() {
        var reload = running()
        let old = live(10..<15)
        #expect(reload.loaded(old, began: .seconds(6), now: .seconds(6)).names == ["load@9000.0"])
        let stale = reload.loaded(old, began: .seconds(9), now: .seconds(9)).names
        #expect(stale == ["notice nothing was added to the playlist for 9 s", "load@12000.0"])
        #expect(reload.loaded(old, began: .seconds(12), now: .seconds(12)).names == ["load@15000.0"])
        // The playlist is updated again, and then stops.
        _ = reload.loaded(live(11..<16), began: .seconds(15), now: .seconds(15))
        #expect(
            reload.loaded(live(11..<16), began: .seconds(24), now: .seconds(24)).names == [
                "notice nothing was added to the playlist for 9 s", "load@27000.0",
            ]
        )
        let given = reload.loaded(live(11..<16), began: .seconds(51), now: .seconds(51)).names
        #expect(given == ["failed nothing was added to the playlist for 36 s"])
        #expect(reload.isOver)
    }

    @Test("a change without a new segment is used, but the playlist is still stale")
    func noProgress() {
        var reload = running()
        var commented = live(10..<15)
        commented.otherLines = ["# 1"]
        let actions = reload.loaded(commented, began: .seconds(10), now: .seconds(10)).names
        #expect(actions == ["use 10+5", "notice nothing was added to the playlist for 10 s", "load@16000.0"])
    }

    @Test("a server that does not respond gets requests more slowly, and only a limited number of times")
    func failures() {
        var reload = running(settings: LiveReloadSettings(attempts: 4, maximumStaleTargetDurations: nil))
        #expect(
            reload.failed(began: .seconds(6), now: .seconds(6)).names == [
                "notice 1 attempts in a row to load the playlist failed", "load@9000.0",
            ]
        )
        #expect(
            reload.failed(began: .seconds(9), now: .seconds(9)).names == [
                "notice 2 attempts in a row to load the playlist failed",
                "notice nothing was added to the playlist for 9 s", "load@15000.0",
            ]
        )
        // A response in between resets the count.
        _ = reload.loaded(live(10..<15), began: .seconds(15), now: .seconds(15))
        for _ in 0..<3 { #expect(reload.failed(began: .seconds(18), now: .seconds(18)).count == 2) }
        // The segments of the playlist last for 30 seconds.
        #expect(reload.failed(began: .seconds(47), now: .seconds(47)).count == 2)
        #expect(
            reload.failed(began: .seconds(48), now: .seconds(48)).names == [
                "failed 5 attempts in a row to load the playlist failed"
            ]
        )
        #expect(reload.isOver)
    }

    @Test("at a target duration of one second, an interruption of five seconds does not end the reloads")
    func shortInterruption() {
        var reload = LiveReload()
        _ = reload.loaded(live(10..<13, target: 1, duration: 1), began: .zero, now: .zero)
        var now = Duration.seconds(1)
        var loads = 0
        while now < .seconds(6) {
            guard case .load(let load) = reload.failed(began: now, now: now).last else {
                Issue.record("the reloads ended after \(now)")
                return
            }
            (now, loads) = (load.startTime, loads + 1)
        }
        #expect(loads == 6)
        #expect(reload.loaded(live(16..<19, target: 1, duration: 1), began: now, now: now).names.first == "use 16+3")
        // A stale playlist is not the end either.
        let old = live(16..<19, target: 1, duration: 1)
        let later = now + .seconds(14)
        #expect(reload.loaded(old, began: later, now: later).count == 2)
        let end = now + .seconds(15)
        #expect(reload.loaded(old, began: end, now: end).names.first?.hasPrefix("failed") == true)
    }

    @Test("a delay that the server requires is respected as long as the segments of the playlist last")
    func retryAfter() {
        var reload = running()
        #expect(
            reload.failed(began: .seconds(6), now: .seconds(6), retryAfter: .seconds(20)).names.last == "load@26000.0"
        )
        #expect(
            reload.failed(began: .seconds(26), now: .seconds(26), retryAfter: .seconds(3600)).names.last
                == "load@56000.0"
        )
    }

    @Test("before the first playlist, a failure waits half a second")
    func failingAtFirst() {
        var reload = LiveReload()
        _ = reload.start(now: .zero)
        #expect(
            reload.failed(began: .zero, now: .zero).names == [
                "notice 1 attempts in a row to load the playlist failed", "load@500.0",
            ]
        )
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let playlist: MediaPlaylist
        let refusal: PlaylistRejection
        var testDescription: String { name }
    }

    static let refusals: [Refusal] = [
        Refusal(name: "begins earlier", playlist: live(9..<16), refusal: .sequenceWentBack(from: 10, to: 9)),
        Refusal(name: "starts over", playlist: live(0..<5), refusal: .sequenceWentBack(from: 10, to: 0)),
        Refusal(name: "ends earlier", playlist: live(10..<14), refusal: .endWentBack(from: 15, to: 14)),
        Refusal(
            name: "passes 2^64",
            playlist: {
                var playlist = live(0..<2)
                playlist.mediaSequence = .max
                return playlist
            }(),
            refusal: .sequenceOverflow(first: .max)
        ),
    ]

    // MARK: Restarts

    @Test("a playlist that goes back and then grows is that of a restarted encoder")
    func restart() {
        var reload = running()
        let first = reload.loaded(live(0..<2), began: .seconds(6), now: .seconds(6))
        #expect(first.notices == [.refused(.sequenceWentBack(from: 10, to: 0))])
        // A copy from a cache does not change.
        #expect(!reload.loaded(live(0..<2), began: .seconds(9), now: .seconds(9)).names.contains("restart 0+2"))
        let third = reload.loaded(live(0..<3), began: .seconds(12), now: .seconds(12))
        #expect(third.notices == [.restarted(expected: 15, first: 0)])
        #expect(third.names.dropFirst() == ["restart 0+3", "load@18000.0"])
        #expect(reload.loaded(live(0..<4), began: .seconds(18), now: .seconds(18)).names.first == "use 0+4")
    }

    @Test("a playlist with later dates is that of a restarted encoder at once, one with earlier dates is not")
    func restartWithDates() throws {
        func dated(_ numbers: Range<UInt64>, _ time: String) throws -> MediaPlaylist {
            var playlist = live(numbers)
            let date = try #require(PlaylistDate("2026-01-01T00:" + time + "Z"))
            playlist.segments[0].programDateTime = date
            return playlist
        }
        var reload = LiveReload()
        _ = reload.loaded(try dated(10..<15, "10:00"), began: .zero, now: .zero)
        var lagging = reload
        for end in 2..<5 as Range<UInt64> {
            let actions = lagging.loaded(try dated(0..<end, "09:00"), began: .seconds(6), now: .seconds(6))
            #expect(!actions.names.contains { $0.hasPrefix("restart") })
        }
        let actions = reload.loaded(try dated(0..<2, "10:40"), began: .seconds(6), now: .seconds(6))
        #expect(actions.notices == [.restarted(expected: 15, first: 0)])
        #expect(actions.names.contains("restart 0+2"))
    }

    @Test("an encoder that begins with the same names is recognized before the reloads end")
    func restartWithSameNames() {
        var reload = LiveReload()
        _ = reload.loaded(live(0..<9), began: .zero, now: .zero)
        var actions: [LiveReloadAction] = []
        for load in 0..<6 {
            let playlist = live(0..<UInt64(1 + load / 2))
            actions = reload.loaded(playlist, began: .seconds(load), now: .seconds(load))
        }
        #expect(actions.notices == [.restarted(expected: 9, first: 0)])
        #expect(actions.names.contains("restart 0+3"))
        #expect(!reload.isOver)
    }

    @Test("a playlist that goes back is rejected, and the previous one stays", arguments: refusals)
    func goingBack(row: Refusal) {
        var reload = running()
        let actions = reload.loaded(row.playlist, began: .seconds(6), now: .seconds(7))
        guard case .notice(.refused(let refusal)) = actions.first else {
            Issue.record("\(actions.names)")
            return
        }
        #expect(refusal == row.refusal)
        #expect(actions.names.dropFirst() == ["load@10000.0"])
        #expect(reload.playlist == live(10..<15))
        for second in 0..<4 {
            #expect(!reload.isOver)
            _ = reload.loaded(row.playlist, began: .seconds(7), now: .milliseconds(7000 + second))
        }
        let last = reload.loaded(row.playlist, began: .seconds(7), now: .seconds(7))
        guard case .failed(.refused(row.refusal)) = last.first else {
            Issue.record("\(last.names)")
            return
        }
    }

    @Test("a valid playlist in between resets the count of rejections")
    func forgiving() {
        var reload = running(settings: LiveReloadSettings(attempts: 2))
        for round in UInt64(0)..<5 {
            #expect(reload.loaded(live(0..<5), began: .seconds(6), now: .seconds(6)).count == 2)
            #expect(!reload.isOver)
            _ = reload.loaded(live((11 + round)..<(16 + round)), began: .seconds(6), now: .seconds(6))
        }
    }

    @Test("an empty playlist does not trap")
    func empty() {
        var reload = LiveReload()
        var playlist = live(0..<0)
        playlist.mediaSequence = .max
        playlist.serverControl = ServerControlTag(canBlockReload: true)
        let actions = reload.loaded(playlist, began: .zero, now: .zero)
        #expect(actions.names.count == 2)
    }
}
