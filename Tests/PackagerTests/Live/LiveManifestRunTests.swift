import DASHManifest
import DRMSignaling
import Foundation
import HLSPlaylist
import Synchronization
import Testing

@testable import Packager

@Suite("DASH manifests of live runs")
struct LiveManifestRunTests {
    private static func templates(_ period: Period, _ id: String) -> [SegmentTemplate] {
        period.adaptationSets.flatMap(\.representations).filter { $0.id == id }.compactMap(\.template)
    }

    private static func numbers(_ manifest: MPD, _ id: String) -> [UInt64] {
        manifest.periods.flatMap { templates($0, id) }.flatMap(\.segments).map(\.number)
    }

    @Test("of an event have a Period for each key period, with only its key, and become static at the end")
    func event() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        // The KEYID attribute of Widevine's keys is not in RFC 8216bis.
        let watch = LiveWatch(folder, ignoring: ["unknown-attribute"])
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.segments(2)))
        job.manifests = [.hls, .dash]
        job.systems = [.fairPlay, .widevine, .playReady, .common]
        job.live = .event
        job.live?.startDate = LiveFixture.start
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let growing = try #require(watch.seen.withLock { $0 }.manifest)
        #expect(growing.type == "dynamic" && growing.timeShiftBufferDepth == nil)
        #expect(growing.minimumUpdatePeriod == ManifestDuration(seconds: 3))
        #expect(growing.availabilityStart?.description == "2027-01-15T08:00:00Z")
        watch.lookAtManifest()
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty)
        let ended = try #require(seen.manifest)
        #expect(ended.type == "static" && ended.minimumUpdatePeriod == nil)
        #expect(abs((ended.duration?.seconds ?? 0) - 60) < 0.1)
        #expect(ended.periods.map(\.id) == ["0", "1", "2", "3", "4"])
        #expect(ended.periods.map { $0.start?.seconds } == [0, 12, 24, 36, 48])
        for period in ended.periods {
            #expect(period.adaptationSets.map(\.contentType) == ["video", "audio"])
            for set in period.adaptationSets {
                let keyID = try #require(set.protections.first?.defaultKeyID)
                #expect(set.protections.count == 5)
                for (id, template) in set.representations.compactMap({ item in item.template.map { (item.id, $0) } }) {
                    let map = try #require(template.initialization?.dropFirst(id.count + 1))
                    #expect(template.segments.count == 2)
                    for segment in template.segments {
                        let name = "\(id)/\(segment.number).m4s"
                        let found = try LiveFixture.samples(folder, segment: name, map: String(map))
                        #expect(found.count > 0)
                        #expect(found.keyIDs.compactMap { ContentKeyID($0)?.uuid } == [keyID])
                    }
                }
            }
        }
    }

    @Test(
        "are written without playlists for cenc, and are sufficient for the next run to continue",
        arguments: [false, true]
    )
    func alone(isEvent: Bool) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 120, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        job.manifests = [.dash]
        (job.scheme, job.systems) = (.cenc, [.widevine, .common])
        job.live = isEvent ? .event : LiveOptions(window: .segments(5))
        job.live?.startDate = LiveFixture.start
        let source = try LiveFixture.keys
        let broken = ScriptedKeyPeriods { request in
            guard request.number < 2 else { throw KeyPeriodFailure(request.number, "none") }
            return try await source.period(request)
        }
        await #expect(throws: KeyPeriodFailure.self) {
            try await LiveRun.run(job, keys: broken, stop: StopSignal()) { watch.look($0) }
        }
        let before = try MPD(scratch.bytes("out/main.mpd"))
        #expect(Self.numbers(before, "video-64") == (isEvent ? Array(1...10) : Array(6...10)))
        // The killed run has written a segment that no client knows.
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/video-64/11.m4s"))
        _ = try await LiveRun.run(job, keys: source, stop: StopSignal()) { watch.look($0) }
        watch.lookAtManifest()
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let after = try MPD(scratch.bytes("out/main.mpd"))
        // The number of that segment is not used again.
        #expect(Self.numbers(after, "video-64") == (isEvent ? Array(1...10) + Array(12...31) : Array(27...31)))
        #expect(after.periods.last?.id == "5" && after.minimumUpdatePeriod == nil)
        #expect(after.publishTime != nil && after.availabilityStart == before.availabilityStart)
        let names = scratch.files("out").filter { $0.hasSuffix("m3u8") } + scratch.files("out/video-64")
        #expect(!names.contains { $0.hasSuffix("m3u8") }, "the job has no HLS playlists")
        let error = await #expect(throws: JobFailure.self) {
            try await LiveRun.run(job, keys: source, stop: StopSignal())
        }
        #expect(error?.option == "out", "the presentation is complete")
        job.manifests = [.hls, .dash]
        await #expect(throws: JobFailure.self) { try await LiveRun.run(job, keys: source, stop: StopSignal()) }
    }

    @Test("are complete after a run that was killed before it replaced the manifest", arguments: [1, 3, 9, 10])
    func torn(sequence: UInt64) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 120, to: scratch.path)
        let (folder, torn) = (scratch.path + "/out", scratch.path + "/torn")
        let source = try LiveFixture.keys
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        job.manifests = [.hls, .dash]
        let before = Mutex<Data?>(nil)
        _ = try await LiveRun.run(job, keys: source, stop: StopSignal()) { event in
            guard case .segment("video-64", sequence) = event else {
                return before.withLock { $0 = FileManager.default.contents(atPath: folder + "/main.mpd") }
            }
            try? FileManager.default.copyItem(atPath: folder, toPath: torn)
            try? before.withLock { $0 }?.write(to: URL(fileURLWithPath: torn + "/main.mpd"))
        }
        let watch = LiveWatch(torn)
        watch.look(.segment(folder: "video-64", sequence: sequence))
        job.output = torn
        _ = try await LiveRun.run(job, keys: source, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let manifest = try #require(seen.manifest)
        #expect(Self.numbers(manifest, "video-64").last == sequence + 1 + 20)
    }

    @Test("keep the segment that only playlists list, if its Period exists")
    func takesSegments() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        var job = LiveFixture.job(inputs, to: folder, rotation: nil)
        job.manifests = [.hls, .dash]
        job.live = .event
        job.live?.startDate = LiveFixture.start
        let last = Mutex<MPD?>(nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .segment("video-64", 4) = event else { return }
            let bytes = FileManager.default.contents(atPath: folder + "/main.mpd").map(Array.init)
            last.withLock { $0 = bytes.flatMap { try? MPD($0) } }
        }
        let settings = ManifestBuilder.Settings(
            options: PlaylistOptions(job),
            timeShift: nil,
            targetDuration: 6,
            leader: 0,
            renditionCount: 2
        )
        var manifest = try ManifestBuilder(resuming: try #require(last.withLock { $0 }), settings)
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(Self.numbers(manifest.manifest, "video-64").last == 5)
        manifest.addMissingSegments(of: "video-64", listedIn: RenditionPlaylist(resuming: media, hasClearMap: false))
        #expect(Self.numbers(manifest.manifest, "video-64") == Array(1...10))
        // As written by the run that continued.
        let whole = try MPD(scratch.bytes("out/main.mpd"))
        #expect(
            Self.templates(manifest.manifest.periods[0], "video-64").map(\.segments)
                == Self.templates(whole.periods[0], "video-64").map(\.segments)
        )
    }

    @Test("have a clear lead in a separate Period, and announce the first key during it", arguments: [false, true])
    func clearLead(isCounter: Bool) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        // The Multivariant Playlist specifies the keys after the lead from the start.
        let watch = LiveWatch(folder, ignoring: ["sample-aes-ctr", "allowed-cpc-unused-keyformat"])
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        job.manifests = [.hls, .dash]
        if isCounter { (job.scheme, job.systems) = (.cenc, [.common]) }
        job.clearLead = RationalTime(10, timescale: 1)
        job.live = .event
        job.live?.startDate = LiveFixture.start
        let first = Mutex<MultivariantPlaylist?>(nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            guard case .segment("audio", 1) = event else { return }
            let bytes = FileManager.default.contents(atPath: folder + "/main.m3u8").map(Array.init)
            first.withLock { $0 = bytes.flatMap { try? MultivariantPlaylist(parsing: $0) } }
        }
        watch.lookAtManifest()
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty)
        let periods = try #require(seen.manifest).periods
        #expect(periods.map { $0.start?.seconds } == [0, 12, 30])
        #expect(
            periods.map { $0.adaptationSets.map(\.protections.isEmpty) } == [
                [true, true], [false, false], [false, false],
            ]
        )
        for (place, set) in periods.enumerated().flatMap({ place, period in period.adaptationSets.map { (place, $0) } })
        {
            for (id, template) in set.representations.compactMap({ item in item.template.map { (item.id, $0) } }) {
                let map = try #require(template.initialization?.dropFirst(id.count + 1))
                for segment in template.segments {
                    let name = "\(id)/\(segment.number).m4s"
                    let found = try LiveFixture.samples(folder, segment: name, map: String(map))
                    #expect(found.count > 0 && found.keyIDs.isEmpty == (place == 0), "\(name)")
                }
            }
        }
        // There are two segments, both clear, and the keys of the segments after them are known.
        let announced = try #require(first.withLock { $0 }).sessionKeys.compactMap(\.key.uri)
        let needed = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8")).segments.flatMap(\.keys)
        #expect(announced.contains { $0 == needed.first?.uri })
        let clear = try MediaPlaylist(parsing: scratch.bytes("out/audio/media.m3u8")).segments.prefix(2)
        #expect(clear.allSatisfy { $0.keys.isEmpty })
    }

    @Test("have no clear lead in the middle: a run that continues starts with a key")
    func noSecondLead() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder, ignoring: ["allowed-cpc-unused-keyformat"])
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        job.manifests = [.hls, .dash]
        job.clearLead = RationalTime(10, timescale: 1)
        job.live = .event
        job.live?.startDate = LiveFixture.start
        let source = try LiveFixture.keys
        let broken = ScriptedKeyPeriods { request in
            guard request.number < 1 else { throw KeyPeriodFailure(request.number, "none") }
            return try await source.period(request)
        }
        await #expect(throws: KeyPeriodFailure.self) {
            try await LiveRun.run(job, keys: broken, stop: StopSignal()) { watch.look($0) }
        }
        _ = try await LiveRun.run(job, keys: source, stop: StopSignal()) { watch.look($0) }
        watch.lookAtManifest()
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        let clear = try #require(seen.manifest).periods.map { $0.adaptationSets.allSatisfy(\.protections.isEmpty) }
        #expect(clear == [true, false, false, false])
    }
}
