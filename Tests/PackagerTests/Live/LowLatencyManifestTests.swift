import DASHManifest
import Foundation
import HLSPlaylist
import Synchronization
import Testing

@testable import Packager

@Suite("DASH manifests of low-latency runs")
struct LowLatencyManifestTests {
    private static func job(_ inputs: [String], to folder: String, rotation: KeyRotation?) -> PackagingJob {
        var job = LiveFixture.job(inputs, to: folder, rotation: rotation)
        job.manifests = [.hls, .dash]
        job.live?.partDuration = LiveOptions.defaultPartDuration
        return job
    }

    @Test("list a segment from its first part on, with the duration that it has in the end")
    func parts() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 72, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        let listing = ListingWatch(folder)
        let job = Self.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            watch.lookAtManifest()
            listing.look(event)
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let found = listing.seen.withLock { $0 }
        #expect(found.unlisted.isEmpty, "\(found.unlisted.prefix(5))")
        #expect(found.empty.isEmpty, "\(found.empty.prefix(5))")
        #expect(found.durations.count == 2 * 12)
        // The input has a key frame each second, so the estimate is exact. Its audio frames have different durations.
        let changed = found.durations.filter { $0.key.hasPrefix("video") && $0.value.count > 1 }
        #expect(changed.isEmpty, "\(changed)")
        let wrong = found.durations.filter { ($0.value.max() ?? 0) - ($0.value.min() ?? 0) > 0.05 }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(seen.manifest?.periods.count == 2, "the window begins in the second of three key periods")
    }

    @Test("have the attributes from which players compute availability and latency, until the presentation ends")
    func attributes() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 24, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        var job = Self.job(inputs, to: folder, rotation: KeyRotation(.segments(2)))
        job.live?.window = nil
        job.live?.timeServer = "https://time.example.com/"
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let live = try #require(watch.seen.withLock { $0 }.manifest)
        let clock = Descriptor(scheme: "urn:mpeg:dash:utc:http-xsdate:2014", value: "https://time.example.com/")
        #expect(live.clocks == [clock])
        #expect(live.minimumUpdatePeriod == ManifestDuration(seconds: 0.5))
        #expect(live.suggestedPresentationDelay == ManifestDuration(seconds: 1.49))
        #expect(live.minimumBufferTime == ManifestDuration(seconds: 0.83))
        let latency = ServiceDescription.Latency(referenceID: 0, target: 1490, minimum: 830, maximum: 13_490)
        #expect(live.serviceDescription?.latency == latency)
        #expect(live.serviceDescription?.playbackRates == 0.96...1.04)
        for (period, date) in zip(live.periods, ["2027-01-15T08:00:00Z", "2027-01-15T08:00:12Z"]) {
            for set in period.adaptationSets {
                let representation = try #require(set.representations.first)
                let template = try #require(representation.template)
                #expect(template.availabilityTimeOffset == 5.67)
                #expect(template.availabilityTimeComplete == false)
                let part = (0.33 * Double(template.timescale)).rounded()
                #expect(representation.resync == Resync(type: 0, maximumTime: UInt64(part)))
                let reference = ProducerReferenceTime(
                    id: 0,
                    wallClockTime: try #require(ManifestDate(date)),
                    presentationTime: template.presentationTimeOffset
                )
                #expect(set.producerReferenceTime == reference)
            }
        }
        watch.lookAtManifest()
        let ended = try #require(watch.seen.withLock { $0 }.manifest)
        #expect(ended.type == "static" && ended.serviceDescription == nil)
        let templates = ended.periods.flatMap(\.adaptationSets).flatMap(\.representations).compactMap(\.template)
        #expect(templates.allSatisfy { $0.availabilityTimeOffset == nil && $0.availabilityTimeComplete == nil })
        #expect(watch.seen.withLock { $0 }.findings.isEmpty)
    }

    @Test("contain a time server only if there is a manifest")
    func timeServer() throws {
        var job = Self.job(["film.mp4"], to: "out", rotation: nil)
        job.live?.timeServer = "https://time.example.com/"
        #expect(throws: Never.self) { try job.validate() }
        job.manifests = [.hls]
        let failure = #expect(throws: JobFailure.self) { try job.validate() }
        #expect(failure?.option == "utc-timing")
    }

    @Test("extend a segment that gets longer than expected, because its key frame comes late")
    func lateKeyFrames() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 48, to: scratch.path) { $0 % 4 == 0 }
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        let listing = ListingWatch(folder)
        let job = Self.job(inputs, to: folder, rotation: nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            watch.lookAtManifest()
            listing.look(event)
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        let found = listing.seen.withLock { $0 }
        #expect(found.unlisted.isEmpty, "\(found.unlisted.prefix(5))")
        let video = found.durations.filter { $0.key.hasPrefix("video") }.values
        #expect(video.contains { $0.count > 1 })
        #expect(video.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        let manifest = try #require(seen.manifest)
        let template = try #require(ListingWatch.template("video-64", in: manifest.periods[0]))
        let durations = template.segments.map { Double($0.duration) / Double(template.timescale) }
        #expect(durations.suffix(4) == ArraySlice(media.segments.map(\.duration).suffix(4)))
    }

    @Test("continue after a kill: the open segment gets the duration of its parts", arguments: [0, 2, 9])
    func kill(index: Int) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let (folder, killed) = (scratch.path + "/out", scratch.path + "/killed")
        let job = Self.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .part("video-64", 3, index) = event else { return }
            try? FileManager.default.copyItem(atPath: folder, toPath: killed)
        }
        let watch = LiveWatch(killed)
        watch.look(.part(folder: "video-64", sequence: 3, index: index))
        watch.lookAtManifest()
        let before = try #require(watch.seen.withLock { $0 }.manifest)
        #expect(ListingWatch.template("video-64", in: before.periods[0])?.nextNumber == 5)
        var again = job
        again.output = killed
        let listing = ListingWatch(killed, after: before.publishTime)
        _ = try await LiveRun.run(again, keys: LiveFixture.keys, stop: StopSignal()) { event in
            watch.look(event)
            watch.lookAtManifest()
            listing.look(event)
        }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let duration = try #require(listing.seen.withLock { $0 }.durations["video-64/4"])
        let parts = try #require(seen.parts["video-64/4.m4s"])
        #expect(duration == [parts.reduce(0) { $0 + $1.duration }])
        #expect(listing.seen.withLock { $0 }.unlisted.isEmpty)
    }

    @Test("drop the open segment of a killed run if its file is lost")
    func lostFile() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 36, to: scratch.path)
        let (folder, killed) = (scratch.path + "/out", scratch.path + "/killed")
        let job = Self.job(inputs, to: folder, rotation: nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { event in
            guard case .part("video-64", 3, 4) = event else { return }
            try? FileManager.default.copyItem(atPath: folder, toPath: killed)
        }
        try FileManager.default.removeItem(atPath: killed + "/video-64/4.m4s")
        var again = job
        again.output = killed
        let before = try MPD(scratch.bytes("killed/main.mpd"))
        let listing = ListingWatch(killed, after: before.publishTime)
        _ = try await LiveRun.run(again, keys: LiveFixture.keys, stop: StopSignal()) { listing.look($0) }
        let found = listing.seen.withLock { $0 }
        #expect(found.durations["video-64/4"] == nil)
        #expect(found.empty.isEmpty, "\(found.empty.prefix(5))")
        #expect(found.durations["video-64/5"] != nil)
    }
}

/// Reads each version of a manifest, and compares it with the files and the parts that were announced.
private final class ListingWatch: Sendable {
    struct Seen {
        /// The durations in seconds that were listed for a segment, in the order of the versions, by folder and number.
        var durations: [String: [Double]] = [:]
        /// The parts whose segments were not listed.
        var unlisted: [String] = []
        /// The listed segments without bytes.
        var empty: [String] = []
    }

    let seen = Mutex(Seen())
    private let folder: String
    private let first: ManifestDate?

    /// - Parameter first: The publishTime of the version after which durations and files are recorded.
    init(_ folder: String, after first: ManifestDate? = nil) { (self.folder, self.first) = (folder, first) }

    static func template(_ id: String, in period: Period) -> SegmentTemplate? {
        period.adaptationSets.flatMap(\.representations).first { $0.id == id }?.template
    }

    func look(_ event: LiveRun.Event) {
        let bytes = FileManager.default.contents(atPath: folder + "/main.mpd").map(Array.init) ?? []
        guard let manifest = try? MPD(bytes) else { return }
        seen.withLock { seen in
            if manifest.publishTime != first {
                for representation in manifest.periods.flatMap(\.adaptationSets).flatMap(\.representations) {
                    note(representation, &seen)
                }
            }
            // A Period is published with the first parts of both renditions.
            guard case .part(let id, let sequence, let index) = event, sequence > 0, index > 1 else { return }
            let numbers = manifest.periods.compactMap { Self.template(id, in: $0)?.nextNumber }
            if numbers.last != sequence + 2 { seen.unlisted.append("\(id), segment \(sequence + 1), part \(index)") }
        }
    }

    private func note(_ representation: Representation, _ seen: inout Seen) {
        guard let template = representation.template else { return }
        for segment in template.segments {
            let name = "\(representation.id)/\(segment.number)"
            let duration = Double(segment.duration) / Double(template.timescale)
            if seen.durations[name]?.last != duration { seen.durations[name, default: []].append(duration) }
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name).m4s")
            if attributes?[.size] as? Int ?? 0 == 0 { seen.empty.append(name) }
        }
    }
}
