import HLSPlaylist
import Synchronization
import Testing

@testable import StreamValidation

@Suite("A watch reports while it runs, and ends with a report", .timeLimit(.minutes(10)))
struct WatchEventTests {
    @Test("A finding is an event when it is made, once, and each interval has a summary")
    func events() throws {
        var channel = try StreamWatchTests.channel()
        channel.respond = { path, _, response in
            if path == "hd-110.m4s" || path == "hd-111.m4s" { response.status = 404 }
        }
        let time = channel.time
        let log = Mutex<[String]>([])
        let report = try StreamWatchTests.watch(channel, for: .seconds(200)) { event in
            let text =
                switch event {
                case .finding(let finding): "\(finding.rule) \(Int(time.seconds))"
                case .progress(let progress): "progress \(Int(time.seconds)) \(progress.playlists) playlists"
                case .playlistFinding, .report: ""
                }
            log.withLock { if !text.isEmpty { $0.append(text) } }
        }
        #expect(
            log.withLock(\.self) == [
                "progress 60 3 playlists", "segment-missing 120", "progress 120 3 playlists",
                "progress 180 3 playlists",
            ]
        )
        let finding = try #require(report.findings.first { $0.rule == "segment-missing" })
        #expect(finding.count == 2)
        #expect(finding.place.sequence == 110)
    }

    @Test("A cancelled watch has a report of what was found until then")
    func interrupt() throws {
        var channel = try StreamWatchTests.channel()
        channel.respond = { path, _, response in if path == "hd-103.m4s" { response.status = 404 } }
        let (time, resources) = (channel.time, channel)
        let report = time.run {
            let watch = StreamWatch(resources: resources, clock: time) { LiveChannel.date(time.seconds) }
            let task = Task(executorPreference: time) { try? await watch.run(LiveChannel.host + "main.m3u8") }
            try? await time.sleep(until: .init(offset: .seconds(65)), tolerance: nil)
            task.cancel()
            return await task.value
        }
        let found = try #require(report ?? nil)
        #expect(Int(time.seconds) == 65)
        #expect(StreamWatchTests.findings(found) == ["segment-missing hd"])
        #expect(found.presentation.renditions.allSatisfy { $0.segments.count > 10 })
    }

    @Test("A watch ends when all playlists have ended")
    func end() throws {
        var channel = try StreamWatchTests.channel()
        channel.delay = { min($1, 100) }
        channel.change = { _, now, snapshot in
            if now > 100 { snapshot.trailer.append("#EXT-X-ENDLIST") }
        }
        let report = try StreamWatchTests.watch(channel, for: .seconds(3600))
        #expect((100..<110).contains(Int(channel.time.seconds)))
        #expect(StreamWatchTests.findings(report) == [])
        #expect(report.presentation.renditions.allSatisfy { $0.isWatched && $0.isLive })
    }

    @Test("Video on demand is validated once, with all segments")
    func videoOnDemand() throws {
        var channel = try StreamWatchTests.channel()
        (channel.isEvent, channel.past) = (true, 600)
        channel.change = { _, _, snapshot in
            snapshot.header = ["#EXT-X-PLAYLIST-TYPE:VOD"]
            snapshot.trailer = ["#EXT-X-ENDLIST"]
        }
        channel.delay = { _, _ in 1 }
        let report = try StreamWatchTests.watch(channel, for: .seconds(3600), playlist: "hd")
        #expect(report.presentation.renditions.map { $0.segments.count { $0.byteCount != nil } } == [600])
        #expect(report.presentation.renditions.allSatisfy { !$0.isWatched })
        #expect(channel.time.seconds < 60)
    }

    @Test("A segment that a slow watch loads after it was removed is not missing")
    func slowWatch() throws {
        var channel = try StreamWatchTests.channel()
        channel.renditions = [("hd", .video)]
        // Each segment takes two minutes, after which the server has only those of the last two minutes.
        channel.slow = { $0.hasSuffix(".m4s") ? 130 : 0 }
        let published = channel
        channel.respond = { path, now, response in
            guard let number = Int(path.dropFirst(3).dropLast(4)) else { return }
            if number < published.published(now) - 21 { response.status = 404 }
        }
        let last = Mutex<WatchProgress?>(nil)
        let report = try StreamWatchTests.watch(channel, for: .seconds(900), playlist: "hd") { event in
            if case .progress(let progress) = event { last.withLock { $0 = progress } }
        }
        #expect(StreamWatchTests.findings(report) == [])
        #expect(last.withLock { $0?.skipped ?? 0 } > 2)
    }

    @Test("The history is bounded, and a finding about forgotten segments remains")
    func history() throws {
        var channel = try StreamWatchTests.channel()
        channel.renditions = [("hd", .video)]
        channel.respond = { path, _, response in if path == "hd-103.m4s" { response.status = 404 } }
        let time = channel.time
        var settings = StreamWatch.Settings()
        (settings.limit, settings.historyCount) = (.seconds(900), 32)
        let watch = StreamWatch(resources: channel, settings: settings, clock: time) { LiveChannel.date(time.seconds) }
        let report = try #require(time.run { try? await watch.run(LiveChannel.host + "hd.m3u8") } ?? nil)
        #expect(report.presentation.renditions[0].segments.count <= 33)
        #expect(report.presentation.renditions[0].segments.first.map { $0.sequence > 103 } == true)
        #expect(StreamWatchTests.findings(report) == ["segment-missing hd"])
    }

    @Test("A part that cannot be loaded is a finding only while it must be available")
    func partAge() throws {
        var channel = try StreamWatchTests.channel()
        StreamWatchTests.makeLowLatency(&channel)
        let file = try LintFile(
            name: LiveChannel.host + "hd.m3u8",
            bytes: Array(channel.snapshot("hd", 10).text.utf8)
        )
        let playlist = try #require(file.media)
        let rendition = MeasuredRendition(name: file.name, file: file, playlist: playlist, roles: .init(), segments: [])
        let tag = PartTag(uri: "hd-100-part0.m4s", duration: 1)
        let part = SegmentTracker.Part(
            sequence: 100,
            index: 0,
            tag: tag,
            resource: .init(url: LiveChannel.host + tag.uri),
            keys: KeyContext()
        )
        var contents = SegmentContents()
        let missing = SegmentReader.Result(outcome: .missing(reason: "status 404"))
        #expect(contents.take(missing, of: part, in: rendition, age: .seconds(17)).map(\.rule) == ["part-missing"])
        #expect(contents.take(missing, of: part, in: rendition, age: .seconds(18)).isEmpty)
    }

    @Test("The events end with the report")
    func sequence() async throws {
        let channel = try StreamWatchTests.channel()
        let time = channel.time
        var settings = StreamWatch.Settings()
        settings.limit = .zero
        let watch = StreamWatch(resources: ImmediateResources(channel: channel), settings: settings, clock: time) {
            LiveChannel.date(time.seconds)
        }
        var last: StreamWatch.Event?
        for try await event in watch.events(LiveChannel.host + "main.m3u8") { last = event }
        guard case .report(let report)? = last else {
            Issue.record("the last event is not the report")
            return
        }
        #expect(report.presentation.renditions.count == 3)
    }

    /// The playlists of a channel, without waiting.
    private struct ImmediateResources: ValidationResources {
        let channel: LiveChannel

        func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
            let path = request.url.dropFirst(LiveChannel.host.count)
            let text = path == "main.m3u8" ? channel.multivariant : channel.snapshot(String(path.dropLast(5)), 0).text
            return LoadedResource(url: request.url, bytes: Array(text.utf8))
        }
    }
}
