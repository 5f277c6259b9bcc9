import DRMSignaling
import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import Synchronization
import Testing

@testable import Packager

@Suite("Live runs")
struct LiveRunTests {
    @Test("run for an hour: keys rotate, files are deleted, and no rule is violated at any reload")
    func hour() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 3600, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(60)))
        job.manifests = [.hls, .dash]
        let report = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        #expect(report.segments == 1200)
        #expect(report.periods == 60)
        #expect(seen.reloads >= 1800)
        // The audio of a key period waits for its video, once per minute.
        #expect(seen.states >= 1100)
        for rendition in ["video-64", "audio"] {
            let files = scratch.files("out/" + rendition)
            // Of an hour, only files that are in a playlist or that a client may still need.
            #expect(files.count < 24, "\(files)")
            let media = try MediaPlaylist(parsing: scratch.bytes("out/\(rendition)/media.m3u8"))
            #expect(media.isEnded && media.mediaSequence == 595 && media.segments.count == 5)
            #expect(media.targetDuration == 6)
            let last = try #require(media.segments.last?.programDateTime)
            #expect(abs(last.timeInterval(since: LiveFixture.start) - 3594) < 0.1)
        }
    }

    @Test("encrypt each segment with the key of its period")
    func keys() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        var job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.segments(2)))
        job.live = .event
        job.live?.startDate = LiveFixture.start
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        var used: [String: Set<String>] = [:]
        for (segment, uris) in seen.keys {
            let found = try LiveFixture.samples(folder, segment: segment, map: try #require(seen.maps[segment]))
            #expect(found.count > 0)
            let names = found.keyIDs.compactMap { ContentKeyID($0).map { "skd://" + $0.hexadecimal } }
            #expect(names == uris, "\(segment)")
            used[names.joined(), default: []].insert(segment)
        }
        #expect(used.count == 10, "five periods of two classes")
        #expect(used.values.allSatisfy { $0.count == 2 })
        let durations = try ["video-64", "audio"].map {
            try MediaPlaylist(parsing: scratch.bytes("out/\($0)/media.m3u8")).duration
        }
        #expect(durations.allSatisfy { abs($0 - 60) < 0.1 }, "\(durations)")
        let periods = try await allPeriods(5)
        _ = try PresentationDecryptor(keys: periods).decrypt(folder + "/main.m3u8", to: scratch.path + "/clear")
    }

    private func allPeriods(_ count: Int) async throws -> DecryptionKeys {
        var list: [(id: KeyID, key: DecryptionKey)] = []
        for number in 0..<count {
            let request = KeyPeriodRequest(number: number, trackClasses: TrackClass.allCases, duration: 1)
            for (_, key) in try await LiveFixture.keys.period(request).keys.all {
                let id = try #require(KeyID(key.keyID.bytes))
                let iv = try key.iv.map { try $0.withUnsafeBytes { try CipherIV($0) } }
                list.append((id, DecryptionKey(key: key.key, iv: iv)))
            }
        }
        return DecryptionKeys(list)
    }

    @Test("that failed are continued after a discontinuity, with other keys")
    func continues() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 120, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder)
        let job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        let source = try LiveFixture.keys
        let broken = ScriptedKeyPeriods { request in
            guard request.number < 2 else { throw KeyPeriodFailure(request.number, "none") }
            return try await source.period(request)
        }
        await #expect(throws: KeyPeriodFailure.self) {
            try await LiveRun.run(job, keys: broken, stop: StopSignal()) { watch.look($0) }
        }
        let before = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(!before.isEnded && before.mediaSequence == 5 && before.segments.count == 5)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/video-64/11.m4s"))

        let report = try await LiveRun.run(job, keys: source, stop: StopSignal()) { watch.look($0) }
        #expect(report.periods == 4)
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty)
        let after = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(after.mediaSequence == 25 && after.discontinuitySequence == 1)
        let periods = seen.events.compactMap { if case .period(let number) = $0 { number } else { nil } }
        #expect(periods == [0, 1, 2, 3, 4, 5], "no key is used again")
        #expect(!FileManager.default.fileExists(atPath: folder + "/video-64/1.m4s"))
    }

    @Test(
        "that were killed between two playlists keep the segment that is only in the I-frame playlist",
        arguments: [0, 9]
    )
    func tornPlaylists(sequence: UInt64) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 120, to: scratch.path)
        let (folder, torn) = (scratch.path + "/out", scratch.path + "/torn")
        let media = "/video-64/media.m3u8"
        let source = try LiveFixture.keys
        // The folder after a kill: the media playlist is the previous one, or missing.
        let before = Mutex<Data?>(nil)
        let job = LiveFixture.job(inputs, to: folder, rotation: KeyRotation(.seconds(30)))
        _ = try await LiveRun.run(job, keys: source, stop: StopSignal()) { event in
            switch event {
            case .segment("video-64", sequence):
                try? FileManager.default.copyItem(atPath: folder, toPath: torn)
                try? FileManager.default.removeItem(atPath: torn + media)
                try? before.withLock { $0 }?.write(to: URL(fileURLWithPath: torn + media))
            case .segment("video-64", _):
                before.withLock { $0 = FileManager.default.contents(atPath: folder + media) }
            default: break
            }
        }
        let watch = LiveWatch(torn)
        watch.look(.segment(folder: "video-64", sequence: sequence))
        let again = LiveFixture.job(inputs, to: torn, rotation: KeyRotation(.seconds(30)))
        _ = try await LiveRun.run(again, keys: source, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty, "\(seen.missing.prefix(5))")
        let after = try MediaPlaylist(parsing: scratch.bytes("torn" + media))
        let frames = try MediaPlaylist(parsing: scratch.bytes("torn/video-64/iframes.m3u8"))
        // The segments up to that one, then those of two minutes.
        #expect(after.mediaSequence.map { $0 + UInt64(after.segments.count) } == sequence + 1 + 20)
        #expect(abs(after.duration - frames.duration) < 1e-5)
    }

    @Test("finish with EXT-X-ENDLIST, and are not continued unless overwriting is allowed")
    func ends() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 30, to: scratch.path)
        let folder = scratch.path + "/out"
        var job = LiveFixture.job(inputs, to: folder, rotation: nil)
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal())
        let error = await #expect(throws: JobFailure.self) {
            try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal())
        }
        #expect(error?.option == "out")
        job.overwrites = true
        _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal())
        let media = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(media.isEnded && media.mediaSequence == 0 && media.segments.count == 5)
    }

    @Test("package every scheme", arguments: [nil, TrackProtection.Scheme.cenc, .sampleAES, .aes128])
    func schemes(scheme: TrackProtection.Scheme?) async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 60, to: scratch.path)
        let folder = scratch.path + "/out"
        let watch = LiveWatch(folder, ignoring: ["no-i-frame-variants", "sample-aes-ctr"])
        var job = LiveFixture.job(inputs, to: folder, rotation: scheme == nil ? nil : KeyRotation(.segments(2)))
        job.scheme = scheme
        job.keysArriveLater = scheme != nil
        switch scheme {
        case nil: job.systems = []
        case .cenc: job.systems = [.common]
        case .aes128: (job.systems, job.keyURI) = ([.identity], try KeyURITemplate("https://keys.example/{kid}"))
        default: job.container = .ts
        }
        let keys: DerivedKeyPeriods? = scheme == nil ? nil : try LiveFixture.keys
        let report = try await LiveRun.run(job, keys: keys, stop: StopSignal()) { watch.look($0) }
        let seen = watch.seen.withLock { $0 }
        #expect(report.segments == 20)
        #expect(seen.findings.isEmpty, "\(seen.findings.prefix(5))")
        #expect(seen.missing.isEmpty)
    }
}
