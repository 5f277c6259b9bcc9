import HLSPlaylist
import Testing

@testable import StreamValidation

/// Channels with one fault each, in which exactly the rule of the fault is violated.
@Suite("A fault of a live presentation is found by its rule", .timeLimit(.minutes(10)))
struct WatchFaultTests {
    /// A fault, and the rules with the playlists in which it is found.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var seconds = 240
        var expected: Set<String>
        /// False if the fault has consequences that violate other rules.
        var isExact = true
        /// Puts the fault in.
        var put: @Sendable (inout LiveChannel) -> Void

        var testDescription: String { name }
    }

    @Test("Changes of playlists", arguments: playlistFaults)
    func playlists(_ fault: Fault) throws { try check(fault, Self.channel()) }

    @Test("Times and dates", arguments: timeFaults)
    func times(_ fault: Fault) throws { try check(fault, Self.channel()) }

    @Test("Segments and keys", arguments: segmentFaults)
    func segments(_ fault: Fault) throws { try check(fault, Self.channel()) }

    private static func channel() throws -> LiveChannel {
        var channel = try StreamWatchTests.channel()
        channel.keyPeriod = 10
        return channel
    }

    private func check(_ fault: Fault, _ channel: LiveChannel) throws { try Self.check(fault, channel) }

    /// Requires that a watch of a channel with a fault finds what the fault expects.
    static func check(_ fault: Fault, _ channel: LiveChannel) throws {
        var channel = channel
        fault.put(&channel)
        let report = try StreamWatchTests.watch(channel, for: .seconds(fault.seconds), interval: .seconds(30))
        let found = StreamWatchTests.findings(report)
        #expect(
            fault.isExact ? found == fault.expected : found.isSuperset(of: fault.expected),
            "\(found) \(report.findings.map(\.message) + report.playlistFindings.map(\.diagnostic.message))"
        )
    }

    // MARK: Playlists

    static let playlistFaults: [Fault] = [
        Fault(name: "the numbers go back", expected: ["reload-sequence-decreased hd"]) { channel in
            channel.delay = { name, now in name == "hd" && (100..<104).contains(now) ? now - 60 : now }
        },
        Fault(name: "the target duration changes", expected: ["reload-target-duration-changed hd"]) { channel in
            channel.change = { name, now, snapshot in if name == "hd", (100..<110).contains(now) { snapshot.target = 7 }
            }
        },
        Fault(
            name: "EXT-X-PLAYLIST-TYPE appears",
            expected: ["playlist-type-on-live hd", "reload-header-changed hd", "reload-event-removed hd"]
        ) {
            $0.change = { name, now, snapshot in
                if name == "hd", (100..<110).contains(now) { snapshot.header.append("#EXT-X-PLAYLIST-TYPE:EVENT") }
            }
        },
        Fault(name: "a listed duration changes", expected: ["reload-duration-changed hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", now > 100, let index = snapshot.segments.firstIndex(where: { $0.number == 110 })
                else {
                    return
                }
                snapshot.segments[index].duration = 5.5
            }
        },
        // The numbers of all later segments change too.
        Fault(name: "a segment vanishes from the middle", expected: ["reload-segment-changed hd"], isExact: false) {
            channel in
            channel.change = { name, now, snapshot in
                if name == "hd", (100..<150).contains(now) { snapshot.segments.removeAll { $0.number == 110 } }
            }
        },
        Fault(name: "one playlist ends early", expected: ["live-ended-early sd"]) { channel in
            channel.delay = { name, now in name == "sd" ? min(now, 100) : now }
            channel.change = { name, now, snapshot in
                if name == "sd", now > 100 { snapshot.trailer.append("#EXT-X-ENDLIST") }
            }
        },
        Fault(
            name: "a Date Range changes",
            expected: ["reload-daterange-changed audio", "reload-daterange-changed hd", "reload-daterange-changed sd"]
        ) { channel in
            channel.change = { _, now, snapshot in
                snapshot.trailer.append(
                    "#EXT-X-DATERANGE:ID=\"ad\",START-DATE=\"\(LiveChannel.date(10))\",DURATION=\(now > 60 ? 20 : 10)"
                )
            }
        },
        Fault(name: "the window is short", expected: ["apple-live-window-segments hd"]) { channel in
            channel.change = { name, _, snapshot in
                guard name == "hd" else { return }
                snapshot.mediaSequence += snapshot.segments.count - 4
                snapshot.segments = snapshot.segments.suffix(4)
            }
        },
        Fault(name: "a playlist cannot be loaded for a while", expected: ["watch-load-failed hd"]) { channel in
            channel.fails = { name, now in name == "hd" && (100..<104).contains(now) ? 503 : nil }
        },
    ]

    // MARK: Times

    static let timeFaults: [Fault] = [
        Fault(name: "a standstill", expected: ["watch-standstill hd"]) { channel in
            channel.delay = { name, now in name == "hd" && now > 100 ? (now < 125 ? 100 : now - 25) : now }
        },
        Fault(name: "one late segment", expected: []) { channel in
            channel.delay = { name, now in name == "hd" && (100..<103).contains(now) ? 100 : now }
        },
        Fault(
            name: "nine tenths of real time",
            seconds: 600,
            expected: ["live-drift audio", "live-drift hd", "live-drift sd"]
        ) { $0.delay = { $1 * 0.9 } },
        Fault(name: "dates in the future", expected: ["live-date-future audio"]) { channel in
            channel.change = { name, _, snapshot in
                guard name == "audio" else { return }
                for index in snapshot.segments.indices {
                    snapshot.segments[index].date = snapshot.segments[index].date?.advanced(by: 3600)
                }
            }
        },
        Fault(name: "dates that drift", expected: ["live-date-drift audio"]) { channel in
            channel.change = { name, _, snapshot in
                guard name == "audio" else { return }
                for index in snapshot.segments.indices {
                    let drift = 0.05 * Double(snapshot.segments[index].number - 100)
                    snapshot.segments[index].date = snapshot.segments[index].date?.advanced(by: drift)
                }
            }
        },
        Fault(name: "no dates", expected: ["apple-live-without-date audio", "program-date-time-missing audio"]) {
            $0.change = { name, _, snapshot in
                guard name == "audio" else { return }
                for index in snapshot.segments.indices { snapshot.segments[index].date = nil }
            }
        },
        Fault(
            name: "a discontinuity in one playlist only",
            seconds: 200,
            expected: ["live-discontinuities-differ audio"]
        ) {
            $0.discontinuityPeriod = 30
            $0.change = { name, _, snapshot in
                guard name == "audio" else { return }
                for index in snapshot.segments.indices where snapshot.segments[index].number == 120 {
                    snapshot.segments[index].isDiscontinuity = false
                }
            }
        },
        Fault(name: "variants out of step", expected: ["variants-not-in-step sd"]) { channel in
            let media = channel.media
            channel.respond = { path, _, response in
                guard path.hasPrefix("sd-"), path.hasSuffix(".m4s"), let number = Int(path.dropFirst(3).dropLast(4))
                else {
                    return
                }
                response.bytes = media.video(start: number * 6 + 1, count: 3, duration: 2)
            }
        },
    ]

    // MARK: Segments

    /// The number of a segment of a playlist in a path.
    private static func number(_ path: String, of name: String) -> Int? {
        guard path.hasPrefix(name + "-"), path.hasSuffix(".m4s") else { return nil }
        return Int(path.dropFirst(name.count + 1).dropLast(4))
    }

    static let segmentFaults: [Fault] = [
        Fault(name: "other bytes under one name", expected: ["live-segment-content hd"]) { channel in
            channel.respond = { path, now, response in
                guard let number = number(path, of: "hd"), now - Double((number - 99) * 6) > 60 else { return }
                response.bytes += [0, 0, 0, 8] + Array("free".utf8)
            }
        },
        Fault(name: "the oldest segment is deleted", expected: ["live-oldest-segment-missing hd"]) { channel in
            let (published, window) = (channel, channel.window)
            channel.respond = { path, now, response in
                if number(path, of: "hd") == published.published(now) - window { response.status = 404 }
            }
        },
        Fault(name: "removed segments are deleted", expected: ["live-removed-segment-missing hd"]) { channel in
            let (published, window) = (channel, channel.window)
            channel.respond = { path, now, response in
                guard let number = number(path, of: "hd") else { return }
                if number < published.published(now) - window { response.status = 404 }
            }
        },
        Fault(
            name: "a segment has other timestamps",
            expected: ["extinf-drift hd", "timestamps-not-continuous hd", "variants-not-in-step sd"]
        ) {
            let media = $0.media
            $0.respond = { path, _, response in
                if number(path, of: "hd") == 120 { response.bytes = media.video(start: 721, count: 3, duration: 2) }
            }
        },
        Fault(name: "keys change too often", expected: ["enc-key-period-short hd", "enc-key-period-short sd"]) {
            channel in
            channel.keyPeriod = 1
        },
        Fault(name: "a key returns", expected: ["live-key-returns hd"]) { channel in
            channel.change = { name, _, snapshot in
                guard name == "hd" else { return }
                for index in snapshot.segments.indices {
                    let period = snapshot.segments[index].number / 10 % 2
                    snapshot.segments[index].key = "skd://hd/\(period)"
                    snapshot.segments[index].map = "hd-init\(period).mp4"
                }
            }
        },
        Fault(name: "one playlist does not rotate", expected: ["live-key-changes-differ sd"]) { channel in
            channel.change = { name, _, snapshot in
                guard name == "sd" else { return }
                for index in snapshot.segments.indices {
                    (snapshot.segments[index].key, snapshot.segments[index].map) = ("skd://sd/0", "sd-init0.mp4")
                }
            }
        },
    ]
}
