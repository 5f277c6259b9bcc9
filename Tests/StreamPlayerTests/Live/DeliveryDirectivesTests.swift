import HLSPlaylist
import Testing

@testable import StreamPlayer

@Suite("Delivery directives")
struct DeliveryDirectivesTests {
    private static let blocking = ServerControlTag(canBlockReload: true)
    private static let skipping = ServerControlTag(canSkipUntil: 36)

    private func running(_ playlist: MediaPlaylist, settings: LiveReloadSettings = LiveReloadSettings()) -> [String] {
        var reload = LiveReload(settings: settings)
        return reload.loaded(playlist, began: .zero, now: .seconds(1)).names
    }

    @Test("a server with blocking reloads gets the next request at once, with a timeout of three target durations")
    func blocking() {
        var reload = LiveReload()
        let actions = reload.loaded(live(10..<15, control: Self.blocking), began: .zero, now: .seconds(1))
        #expect(actions.names == ["use 10+5", "load@1000.0 _HLS_msn=15"])
        guard case .load(let load) = actions.last else { return }
        #expect(load.isBlocking)
        #expect(load.timeout == .seconds(18))
        #expect(
            running(live(10..<15, control: Self.blocking), settings: LiveReloadSettings(usesBlocking: false)).last
                == "load@6000.0"
        )
    }

    @Test("a server that announces blocking reloads but does not block gets requests no faster than another server")
    func lying() {
        var reload = LiveReload()
        let playlist = live(10..<15, control: Self.blocking)
        _ = reload.loaded(playlist, began: .zero, now: .zero)
        #expect(reload.loaded(playlist, began: .zero, now: .zero).names == ["load@3000.0 _HLS_msn=15"])
        // A server that always adds a segment.
        let next = reload.loaded(live(10..<16, control: Self.blocking), began: .seconds(3), now: .seconds(3))
        #expect(next.names == ["use 10+6", "load@3100.0 _HLS_msn=16"])
    }

    @Test("a player of partial segments waits for the next part")
    func parts() {
        var playlist = live(10..<15, control: Self.blocking)
        playlist.partInf = PartInfTag(partTarget: 1)
        playlist.upcoming.parts = [PartTag(uri: "15.0.mp4", duration: 1), PartTag(uri: "15.1.mp4", duration: 1)]
        #expect(running(playlist).last == "load@1000.0 _HLS_msn=15")
        let settings = LiveReloadSettings(waitsForParts: true)
        #expect(running(playlist, settings: settings).last == "load@1000.0 _HLS_msn=15 _HLS_part=2")
        // One more part is progress.
        var reload = LiveReload(settings: settings)
        _ = reload.loaded(playlist, began: .zero, now: .zero)
        playlist.upcoming.parts.append(PartTag(uri: "15.2.mp4", duration: 1))
        #expect(
            reload.loaded(playlist, began: .seconds(20), now: .seconds(20)).names == [
                "use 10+5", "load@20100.0 _HLS_msn=15 _HLS_part=3",
            ]
        )
    }

    @Test("a delta update is requested if the playlist is not older than half of the skip boundary")
    func skipping() {
        #expect(running(live(10..<15, control: Self.skipping)).last == "load@6000.0 _HLS_skip=YES")
        var dates = Self.skipping
        dates.canSkipDateRanges = true
        #expect(running(live(10..<15, control: dates)).last == "load@6000.0 _HLS_skip=v2")
        #expect(running(live(10..<15, control: ServerControlTag(canSkipUntil: 12))).last == "load@6000.0 _HLS_skip=YES")
        #expect(running(live(10..<15, control: ServerControlTag(canSkipUntil: 11.9))).last == "load@6000.0")
        #expect(running(live(10..<15, control: ServerControlTag(canSkipUntil: .nan))).last == "load@6000.0")
        #expect(
            running(live(10..<15, control: ServerControlTag(canSkipUntil: .infinity))).last
                == "load@6000.0 _HLS_skip=YES"
        )
        let settings = LiveReloadSettings(usesDeltaUpdates: false)
        #expect(running(live(10..<15, control: Self.skipping), settings: settings).last == "load@6000.0")
        var both = Self.skipping
        both.canBlockReload = true
        #expect(running(live(10..<15, control: both)).last == "load@1000.0 _HLS_msn=15 _HLS_skip=YES")
    }

    @Test("a delta update is merged")
    func merging() {
        var reload = LiveReload()
        _ = reload.loaded(live(10..<15, control: Self.skipping), began: .zero, now: .zero)
        let update = delta(11..<16, skipping: 3, control: Self.skipping)
        #expect(
            reload.loaded(update, began: .seconds(6), now: .seconds(6)).names == [
                "use 11+5", "load@12000.0 _HLS_skip=YES",
            ]
        )
        #expect(reload.playlist?.segments.map(\.uri) == ["11.mp4", "12.mp4", "13.mp4", "14.mp4", "15.mp4"])
        #expect(reload.playlist?.isDeltaUpdate == false)
    }

    @Test("a delta update without its base is rejected, and the whole playlist is requested at once")
    func base() {
        var reload = LiveReload()
        _ = reload.loaded(live(10..<15, control: Self.skipping), began: .zero, now: .zero)
        let update = delta(17..<22, skipping: 3, control: Self.skipping)
        #expect(
            reload.loaded(update, began: .seconds(6), now: .seconds(7)).names == [
                "notice the reloaded playlist is rejected: it is a delta update of a playlist that is not loaded",
                "load@7000.0",
            ]
        )
        #expect(
            reload.loaded(live(17..<22, control: Self.skipping), began: .seconds(7), now: .seconds(7)).names == [
                "use 17+5", "load@13000.0 _HLS_skip=YES",
            ]
        )
        // A server that returns only such updates does not get requests indefinitely.
        var first = LiveReload()
        for _ in 0..<5 { #expect(first.loaded(update, began: .zero, now: .zero).count == 2) }
        #expect(
            first.loaded(update, began: .zero, now: .zero).names == [
                "failed the reloaded playlist is rejected: it is a delta update of a playlist that is not loaded"
            ]
        )
    }

    @Test(
        "the directives follow the playlist's query, and replace older ones",
        arguments: [
            ("live.m3u8", "live.m3u8?_HLS_msn=15&_HLS_skip=YES"),
            ("live.m3u8?", "live.m3u8?_HLS_msn=15&_HLS_skip=YES"),
            ("https://a.example/live.m3u8?t=1&z=2", "https://a.example/live.m3u8?t=1&z=2&_HLS_msn=15&_HLS_skip=YES"),
            ("live.m3u8?_HLS_msn=3&a=1&_HLS_part=2", "live.m3u8?a=1&_HLS_msn=15&_HLS_skip=YES"),
            ("live.m3u8?a=b?c#part", "live.m3u8?a=b?c&_HLS_msn=15&_HLS_skip=YES#part"),
        ]
    )
    func uri(playlist: String, expected: String) {
        let load = PlaylistLoad(
            startTime: .zero,
            mediaSequenceNumber: 15,
            part: nil,
            skip: .segments,
            timeout: .seconds(1)
        )
        #expect(load.uri(playlist) == expected)
        let plain = PlaylistLoad(startTime: .zero, mediaSequenceNumber: nil, part: nil, skip: nil, timeout: .seconds(1))
        #expect(plain.uri("live.m3u8?a=1") == "live.m3u8?a=1")
    }
}
