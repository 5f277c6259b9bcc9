import HLSPlaylist
import Testing

@testable import StreamValidation

/// Low-latency channels with one fault each, in which exactly the rule of the fault is violated.
@Suite("A fault of a low-latency channel is found by its rule", .timeLimit(.minutes(10)))
struct LowLatencyFaultTests {
    typealias Fault = WatchFaultTests.Fault

    @Test("Playlists and requests", arguments: playlistFaults)
    func playlists(_ fault: Fault) throws { try check(fault) }

    @Test("Parts and hints", arguments: partFaults)
    func parts(_ fault: Fault) throws { try check(fault) }

    private func check(_ fault: Fault) throws {
        var fault = fault
        // Each part is a reload, so that a simulated minute takes long.
        fault.seconds = 150
        try WatchFaultTests.check(fault, Self.channel())
    }

    static func channel() throws -> LiveChannel {
        var channel = try StreamWatchTests.channel()
        channel.keyPeriod = 10
        StreamWatchTests.makeLowLatency(&channel)
        return channel
    }

    /// The time at which a part is published; nil for other paths.
    private static func publication(_ path: String, _ channel: LiveChannel) -> Double? {
        let words = path.split(separator: ".")[0].split(separator: "-")
        guard words.count == 3, let number = Int(words[1]), let part = Int(words[2].dropFirst(4)) else { return nil }
        return Double((number - channel.past) * channel.duration + part + 1) + 0.5
    }

    static let playlistFaults: [Fault] = [
        Fault(name: "PART-TARGET changes", expected: ["reload-header-changed hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", (100..<110).contains(now) else { return }
                snapshot.header[0] = "#EXT-X-PART-INF:PART-TARGET=1.1"
                snapshot.header[1] = snapshot.header[1].replacing("PART-HOLD-BACK=3.0", with: "PART-HOLD-BACK=3.3")
            }
        },
        Fault(name: "a part is too long", expected: ["part-too-long hd", "part-duration-wrong hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd" else { return }
                for index in snapshot.segments.indices where snapshot.segments[index].number >= 118 {
                    if !snapshot.segments[index].parts.isEmpty { snapshot.segments[index].parts[0].duration = 1.2 }
                }
                if !snapshot.upcoming.isEmpty, snapshot.upcoming[0].uri > "hd-118", now > 100 {
                    snapshot.upcoming[0].duration = 1.2
                }
            }
        },
        Fault(name: "a part without a key frame is independent", expected: ["part-not-independent hd"]) { channel in
            channel.respond = { path, _, response in
                guard path.hasPrefix("hd-120"), path.hasSuffix("-part3.m4s") || path == "hd-120.m4s" else { return }
                MediaGenerator.removeKeyFrame(from: &response.bytes, fragment: path == "hd-120.m4s" ? 3 : 0)
            }
        },
        Fault(name: "a part is missing", expected: ["part-missing hd"]) { channel in
            channel.respond = { path, _, response in if path == "hd-120-part2.m4s" { response.status = 404 } }
        },
        Fault(name: "the segment is not its parts", expected: ["part-differs-from-segment hd"]) { channel in
            channel.respond = { path, _, response in
                if path == "hd-120.m4s" { response.bytes += [0, 0, 0, 8] + Array("free".utf8) }
            }
        },
        Fault(name: "hints do not come true", expected: ["hint-not-fulfilled hd"]) { channel in
            channel.change = { name, _, snapshot in if name == "hd" { snapshot.hint = "other.m4s" } }
        },
        Fault(name: "reports are ahead", expected: ["rendition-report-wrong hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", now > 100 else { return }
                snapshot.trailer = ["#EXT-X-RENDITION-REPORT:URI=\"sd.m3u8\",LAST-MSN=1000,LAST-PART=0"]
            }
        },
        Fault(name: "reports are outdated", expected: ["rendition-report-wrong hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", now > 100 else { return }
                snapshot.trailer = ["#EXT-X-RENDITION-REPORT:URI=\"sd.m3u8\",LAST-MSN=100,LAST-PART=0"]
            }
        },
        Fault(name: "distant requests are answered", expected: ["block-not-refused hd", "block-not-refused sd"]) {
            let channel = $0
            $0.hold = { _, number, now in number > channel.published(now) + 2 ? -1 : 0 }
        },
        Fault(name: "a request is blocked too long", expected: ["block-too-long hd", "watch-standstill hd"]) {
            channel in
            channel.hold = { name, _, now in name == "hd" && (100..<101).contains(now) ? 25 : 0 }
        },
        // The numbers of all later segments change too.
        Fault(name: "a delta update lacks a segment", expected: ["delta-update-wrong hd"], isExact: false) { channel in
            channel.change = { name, now, snapshot in
                if name == "hd", now > 100, snapshot.skipped > 0 { snapshot.lost = 1 }
            }
        },
        // A blocking reload waits for a part that never comes, and the other playlist reports one.
        Fault(
            name: "parts are announced, and there are none",
            expected: ["parts-announced sd", "watch-block-ignored sd", "rendition-report-wrong hd"]
        ) { channel in
            channel.change = { name, _, snapshot in
                guard name == "sd" else { return }
                (snapshot.upcoming, snapshot.hint) = ([], nil)
                for index in snapshot.segments.indices { snapshot.segments[index].parts = [] }
            }
        },
    ]

    // MARK: Parts and hints

    static let partFaults: [Fault] = [
        Fault(name: "a request for a hint is refused", expected: ["hint-refused hd"]) { channel in
            let published = channel
            channel.respond = { path, now, response in
                guard path.hasPrefix("hd"), let time = publication(path, published), now < time else { return }
                response.status = 404
            }
        },
        Fault(name: "a request for a hint gets half of a part", expected: ["hint-content hd"]) { channel in
            let published = channel
            channel.respond = { path, now, response in
                guard path.hasPrefix("hd"), let time = publication(path, published), now < time else { return }
                response.bytes.removeLast(response.bytes.count / 2)
            }
        },
        Fault(name: "another init segment was hinted", expected: ["hint-not-fulfilled hd"]) { channel in
            channel.change = { name, _, snapshot in
                if name == "hd" { snapshot.trailer.append("#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"hd-init1.mp4\"") }
            }
        },
        Fault(name: "a part comes late", expected: ["part-late hd"]) { channel in
            channel.hold = { name, _, now in name == "hd" && (100..<101).contains(now) ? 3 : 0 }
        },
        Fault(name: "a listed part changes", expected: ["reload-part-changed hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", now > 100, let index = snapshot.segments.firstIndex(where: { $0.number == 115 }),
                    snapshot.segments[index].parts.count > 2
                else { return }
                snapshot.segments[index].parts[2].uri += "?version=2"
            }
        },
        Fault(name: "parts are removed early", expected: ["reload-part-removed hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", (100..<110).contains(now) else { return }
                snapshot.segments[snapshot.segments.count - 2].parts = []
            }
        },
        Fault(name: "INDEPENDENT is missing", expected: ["part-independent-unmarked hd"]) { channel in
            channel.change = { name, _, snapshot in
                if name == "hd" { Self.change(&snapshot) { $0.isIndependent = false } }
            }
        },
        Fault(name: "DURATION is wrong", expected: ["part-duration-wrong hd"]) { channel in
            channel.change = { name, _, snapshot in if name == "hd" { Self.change(&snapshot) { $0.duration = 0.86 } } }
        },
        Fault(name: "a report is a part ahead", expected: ["rendition-report-wrong hd"]) { channel in
            channel.change = { name, now, snapshot in
                guard name == "hd", now > 100 else { return }
                snapshot.trailer = snapshot.trailer.map { $0.replacing("LAST-PART=2", with: "LAST-PART=5") }
            }
        },
        Fault(name: "a part of no segment is answered", expected: ["block-not-refused hd", "block-not-refused sd"]) {
            $0.refusesPartOfNothing = false
        },
        Fault(
            name: "caches must ask the origin",
            expected: ["blocking-reload-caching hd", "blocking-reload-caching sd"]
        ) {
            $0.cacheControl = "no-store"
        },
    ]

    /// Changes the second part of each segment.
    private static func change(_ snapshot: inout Snapshot, _ body: (inout Snapshot.Part) -> Void) {
        for index in snapshot.segments.indices where snapshot.segments[index].parts.count > 1 {
            body(&snapshot.segments[index].parts[1])
        }
        if snapshot.upcoming.count > 1 { body(&snapshot.upcoming[1]) }
    }
}
