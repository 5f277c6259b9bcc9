import HLSPlaylist

@testable import StreamValidation

/// A live presentation in memory whose playlists depend only on the simulated time, with faults that a test puts in.
struct LiveChannel: ValidationResources {
    enum Kind: Sendable {
        case video
        case audio
    }

    struct Response: Sendable {
        var bytes: [UInt8] = []
        /// The status of a failure; nil for success.
        var status: Int?
    }

    let time: SimulatedTime
    let media: MediaGenerator
    /// The Media Playlists by name.
    var renditions: [(name: String, kind: Kind)] = [("hd", .video), ("sd", .video), ("audio", .audio)]
    /// The duration of a segment in seconds.
    var duration = 6
    /// The number of segments in a playlist.
    var window = 20
    /// The first number at the start of the watch, so that the channel has a past.
    var past = 100
    /// The number of segments of a key period; nil for clear playlists without keys.
    var keyPeriod: Int? = 50
    /// The number of segments between two discontinuities.
    var discontinuityPeriod: Int?
    var isEvent = false
    /// True for parts of a second, blocking reloads, delta updates and rendition reports.
    var isLowLatency = false

    /// Returns the time at which a playlist was generated, for a request at a time.
    var delay: @Sendable (_ name: String, _ now: Double) -> Double = { $1 }
    /// Returns the status with which a request of a playlist fails.
    var fails: @Sendable (_ name: String, _ now: Double) -> Int? = { _, _ in nil }
    /// Changes a playlist before it is served.
    var change: @Sendable (_ name: String, _ now: Double, inout Snapshot) -> Void = { _, _, _ in }
    /// Changes the response with a segment.
    var respond: @Sendable (_ path: String, _ now: Double, inout Response) -> Void = { _, _, _ in }
    /// Returns the seconds that the response with a segment takes.
    var slow: @Sendable (_ path: String) -> Double = { _ in 0 }
    /// Returns the seconds by which the response to a blocking reload is too late; negative to answer at once.
    var hold: @Sendable (_ name: String, _ number: Int, _ now: Double) -> Double = { _, _, _ in 0 }

    /// False if a request with _HLS_part and without _HLS_msn is answered.
    var refusesPartOfNothing = true
    /// The Cache-Control field of responses to blocking reloads.
    var cacheControl: String?
    /// Returns the URIs of the keys that the Multivariant Playlist announces.
    var announced: @Sendable (_ now: Double) -> [String] = { _ in [] }

    static let host = "https://live.example/"
    static let origin = PlaylistDate(seconds: 1_800_000_000)
    /// The date of the simulated time.
    static func date(_ seconds: Double) -> PlaylistDate { origin.advanced(by: seconds) }

    // MARK: Requests

    func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
        try? await time.sleep(until: time.now.advanced(by: .milliseconds(40)), tolerance: nil)
        let parts = request.url.dropFirst(Self.host.count).split(separator: "?", maxSplits: 1)
        let path = String(parts[0])
        var response = Response()
        if path == "main.m3u8" {
            response.bytes = Array(multivariant.utf8)
        } else if let name = path.split(separator: ".").first.map(String.init), path.hasSuffix(".m3u8") {
            let text = try await playlist(name, parts.count > 1 ? String(parts[1]) : "")
            response.bytes = Array(text.utf8)
        } else {
            let end = time.now.advanced(by: .seconds(slow(path)))
            try? await time.sleep(until: end, tolerance: nil)
            response.bytes = segment(path)
            respond(path, time.seconds, &response)
        }
        if let status = response.status { throw ResourceFailure(status: status, reason: "status \(status)") }
        var resource = LoadedResource(url: request.url, bytes: response.bytes)
        if let cacheControl, request.url.contains("_HLS_msn") {
            resource.http = HTTPObservation()
            resource.http?.cacheControl = cacheControl
        }
        return resource
    }

    /// The Multivariant Playlist.
    var multivariant: String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-INDEPENDENT-SEGMENTS"]
        for uri in announced(time.seconds) {
            lines.append(
                "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"\(uri)\",KEYFORMAT=\"com.apple.streamingkeydelivery\","
                    + "KEYFORMATVERSIONS=\"1\""
            )
        }
        for (name, kind) in renditions where kind == .audio {
            lines.append(
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",NAME=\"English\",LANGUAGE=\"en\",DEFAULT=YES,AUTOSELECT=YES,"
                    + "CHANNELS=\"2\",URI=\"\(name).m3u8\""
            )
        }
        let audio = renditions.contains { $0.kind == .audio } ? ",AUDIO=\"aac\"" : ""
        let codecs = audio.isEmpty ? "avc1.4d400a" : "avc1.4d400a,mp4a.40.2"
        for (name, kind) in renditions where kind == .video {
            lines.append(
                "#EXT-X-STREAM-INF:BANDWIDTH=60000,AVERAGE-BANDWIDTH=50000,CODECS=\"\(codecs)\",RESOLUTION=64x48,"
                    + "FRAME-RATE=\(isLowLatency ? 10 : 5).000,CLOSED-CAPTIONS=NONE\(audio)"
            )
            lines.append("\(name).m3u8")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func playlist(_ name: String, _ query: String) async throws(ResourceFailure) -> String {
        var directives: [String: Int] = [:]
        for item in query.split(separator: "&") {
            let pair = item.split(separator: "=")
            if pair.count == 2 { directives[String(pair[0])] = Int(pair[1]) ?? 1 }
        }
        if isLowLatency, refusesPartOfNothing, directives["_HLS_part"] != nil, directives["_HLS_msn"] == nil {
            throw ResourceFailure(status: 400, reason: "status 400")
        }
        if isLowLatency, let number = directives["_HLS_msn"] {
            let hold = hold(name, number, time.seconds)
            if hold >= 0 {
                guard number <= published(time.seconds) + 2 else {
                    throw ResourceFailure(status: 400, reason: "status 400")
                }
                let parts = directives["_HLS_part"].map { $0 + 1 } ?? duration
                let due = Double(number * duration + parts - past * duration) + Self.latency + hold
                try? await time.sleep(until: .init(offset: .seconds(due)), tolerance: nil)
            }
        }
        let now = time.seconds
        if let status = fails(name, now) { throw ResourceFailure(status: status, reason: "status \(status)") }
        var snapshot = snapshot(name, delay(name, now))
        if isLowLatency, directives["_HLS_skip"] != nil { snapshot.skipped = max(0, window - 8) }
        change(name, now, &snapshot)
        return snapshot.text
    }

    // MARK: Playlists

    /// The time between the end of a segment and its publication, in seconds.
    private static let latency = 0.5

    /// The number of the first segment that is not published.
    func published(_ now: Double) -> Int { past + Int((now - Self.latency + 1e-6) / Double(duration) + 1000) - 1000 }

    func snapshot(_ name: String, _ now: Double) -> Snapshot {
        let kind = renditions.first { $0.name == name }?.kind ?? .video
        let end = published(now)
        let first = isEvent ? 0 : end - window
        var snapshot = Snapshot(target: duration, mediaSequence: first)
        if isEvent { snapshot.header.append("#EXT-X-PLAYLIST-TYPE:EVENT") }
        if let period = discontinuityPeriod { snapshot.discontinuitySequence = (first - 1) / period }
        snapshot.segments = (first..<end).map { segment($0, name, kind) }
        guard isLowLatency else { return snapshot }
        snapshot.header += [
            "#EXT-X-PART-INF:PART-TARGET=1.0",
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.0,HOLD-BACK=\(duration * 3),"
                + "CAN-SKIP-UNTIL=\(duration * 6)",
        ]
        let names = (0..<duration).map { "part\($0)" }
        for index in snapshot.segments.indices.suffix(2) {
            let number = snapshot.segments[index].number
            snapshot.segments[index].parts = names.map { .init(uri: "\(name)-\(number)-\($0).m4s", duration: 1) }
        }
        let elapsed = now - Self.latency + 1e-6 - Double((end - past) * duration)
        let count = max(0, min(duration - 1, Int(elapsed)))
        snapshot.upcoming = names.prefix(count).map { .init(uri: "\(name)-\(end)-\($0).m4s", duration: 1) }
        let open = segment(end, name, kind)
        (snapshot.upcomingKey, snapshot.upcomingMap) = (open.key, open.map)
        snapshot.hint = "\(name)-\(end)-part\(count).m4s"
        for (other, _) in renditions where other != name {
            snapshot.trailer.append(
                "#EXT-X-RENDITION-REPORT:URI=\"\(other).m3u8\",LAST-MSN=\(count > 0 ? end : end - 1),"
                    + "LAST-PART=\(count > 0 ? count - 1 : duration - 1)"
            )
        }
        return snapshot
    }

    private func segment(_ number: Int, _ name: String, _ kind: Kind) -> Snapshot.Segment {
        let isVideo = kind == .video
        let frames = MediaGenerator.audioFrames(number, duration: duration)
        let seconds = isVideo ? Double(duration) : Double(frames.count) * 1024 / 48_000
        let start = isVideo ? Double(number * duration) : Double(frames.lowerBound) * 1024 / 48_000
        let period = keyPeriod.map { number / $0 } ?? 0
        return Snapshot.Segment(
            number: number,
            uri: "\(name)-\(number).\(isVideo ? "m4s" : "aac")",
            duration: (seconds * 100_000).rounded() / 100_000,
            date: Self.date(start - Double(past * duration)),
            key: keyPeriod != nil && isVideo ? "skd://\(name)/\(period)" : nil,
            map: isVideo ? "\(name)-init\(period).mp4" : nil,
            isDiscontinuity: discontinuityPeriod.map { number % $0 == 0 } ?? false
        )
    }

    // MARK: Segments

    /// Returns the bytes of `hd-120.m4s`, `hd-120-part3.m4s`, `hd-init4.mp4` or `audio-120.aac`.
    func segment(_ path: String) -> [UInt8] {
        let words = path.split(separator: ".")[0].split(separator: "-")
        guard words.count > 1 else { return [] }
        if words[1].hasPrefix("init") {
            // Each playlist and each period has its own key ID.
            return media.map(period: (Int(words[1].dropFirst(4)) ?? 0) * 4 + (words[0] == "hd" ? 1 : 2))
        }
        guard let number = Int(words[1]) else { return [] }
        if path.hasSuffix(".aac") {
            return MediaGenerator.audio(MediaGenerator.audioFrames(number, duration: duration))
        }
        let start = number * duration
        if words.count > 2 {
            return media.video(start: start + (Int(words[2].dropFirst(4)) ?? 0), count: 1, duration: 1)
        }
        let step = isLowLatency ? 1 : 2
        return media.video(start: start, count: duration / step, duration: step)
    }
}
