import Foundation
import HLSPlaylist
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Segments that are to be encrypted, but cannot be.
@Suite("Protection of written segments")
struct ProtectionTests {
    /// An input with the samples of one track.
    private final class TestInput: MediaInput {
        let name = "crafted.mp4"
        let tracks: [MediaTrack]
        let warnings: [String] = []
        let byteCount: Int? = nil
        private(set) var position = 0
        private let samples: [MediaSample]

        init(_ track: TestTrack) { (tracks, samples) = ([track.track], track.samples) }

        func next() -> InputEvent? {
            guard position < samples.count else { return nil }
            defer { position += 1 }
            return .sample(track: 0, samples[position])
        }
    }

    private func package(
        _ track: TestTrack,
        _ scheme: TrackProtection.Scheme = .sampleAES,
        to folder: ScratchFolder,
        clearLead: RationalTime? = nil
    ) throws {
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: scheme)
        job.clearLead = clearLead
        let plan = try PackagingPlan(job) { _ in TestInput(track) }
        _ = try PackagingRun(plan).run()
    }

    /// Returns the description of the error with which packaging ends; nothing must have been published.
    private func refusal(
        of track: TestTrack,
        _ scheme: TrackProtection.Scheme = .sampleAES,
        clearLead: RationalTime? = nil
    ) throws -> String {
        let folder = try ScratchFolder()
        do {
            try package(track, scheme, to: folder, clearLead: clearLead)
        } catch {
            #expect(folder.files().isEmpty)
            return "\(error)"
        }
        return "none"
    }

    /// Video of several seconds: a key frame of type 5 each second, then slices of type 1.
    private func video(sliceSize: Int, seconds: Int = 3, more: [[UInt8]] = []) throws -> TestTrack {
        var generator = TestGenerator(state: 5)
        return try TestTrack.video(
            (0..<seconds * 25).map { index in
                [slice(index % 25 == 0 ? 5 : 1, size: sliceSize, zeros: false, &generator)] + more
            }
        )
    }

    @Test("A protected video sample without a slice is an error; a clear one is not", arguments: [false, true])
    func withoutSlice(isTransportStream: Bool) throws {
        let film = try TestTrack.fixture("vide")
        var generator = TestGenerator(state: 1)
        let unit = slice(6, size: 500, zeros: false, &generator)
        var input = try TestTrack.video([[unit]])
        input.samples[0].isSync = true
        input.track = film.track
        for isProtected in [false, true] {
            let writer: any SegmentWriter =
                isTransportStream
                ? try TransportStreamWriter(input.track, protection: testProtection(.sampleAES))
                : try FragmentedMP4Writer(input.track, protection: testProtection(.cbcs))
            let segment = input.segment(0, 0..<1, isProtected: isProtected)
            if isProtected {
                #expect {
                    _ = try writer.write(segment, to: MemoryOutput())
                } throws: {
                    "\($0)".contains("it contains no slice")
                }
            } else {
                _ = try writer.write(segment, to: MemoryOutput())
                #expect(writer.encryptionCount.encrypted == 0)
            }
        }
    }

    @Test("Without a slice in one sample of a film, nothing is published, and the error names the input")
    func unpublished() throws {
        var track = try video(sliceSize: 200)
        let parameterSet: [[UInt8]] = [[0x68, 1, 2, 3]]
        track.samples[60].bytes = try TestTrack.video([parameterSet]).samples[0].bytes
        track.samples[60].size = 8
        let description = try refusal(of: track)
        #expect(description.hasPrefix("crafted.mp4: the sample at byte 0, decode time 60"), "\(description)")
        #expect(description.contains("no slice"))
    }

    /// Data partitions (types 2 to 4) stay clear with SAMPLE-AES, and so do layers above the base layer (type 20).
    @Test(
        "If most of the pictures would stay clear, the error names the rendition and the segment",
        arguments: [2, 20]
    )
    func clearPictures(type: UInt8) throws {
        var generator = TestGenerator(state: 2)
        let clear = slice(type, size: 3000, zeros: false, &generator)
        var track = try video(sliceSize: 200)
        let later = try video(sliceSize: 200, more: [clear])
        // The first second can be published.
        track.samples.replaceSubrange(25..., with: later.samples[25...])
        let description = try refusal(of: track)
        #expect(description.hasPrefix("crafted.mp4: segment 2 of video is not published: "), "\(description)")
    }

    @Test("Private data of encoders and filler data do not matter")
    func privateData() throws {
        let protection = try testProtection(.sampleAES)
        for unit in [[UInt8](repeating: 30, count: 100), [UInt8](repeating: 12, count: 9000)] {
            let track = try video(sliceSize: 60, seconds: 1, more: [unit])
            let writer = try TransportStreamWriter(track.track, protection: protection)
            _ = try write(track.segments(of: 25, isProtected: true), with: writer)
            #expect(writer.encryptionCount.encrypted == 25 * 16)
        }
    }

    @Test("A video track of which nothing was encrypted is not published, unless it is a few pictures of one color")
    func shortSlices() throws {
        var generator = TestGenerator(state: 5)
        let slices = (0..<20).map { _ in slice(1, size: 48, zeros: false, &generator) }
        let description = try refusal(of: video(sliceSize: 48, more: slices))
        #expect(description.hasPrefix("crafted.mp4: nothing of video is encrypted"), "\(description)")
        let writer = try TransportStreamWriter(video(sliceSize: 48).track, protection: testProtection(.sampleAES))
        let track = try video(sliceSize: 48)
        _ = try write(track.segments(of: 25, isProtected: true), with: writer)
        #expect(writer.encryptionCount == EncryptionCount(encrypted: 0, coded: 75 * 48))
        #expect(!writer.encryptionCount.isUnprotected)
    }

    @Test("A clear lead that turns out to cover the whole presentation is an error")
    func clearLead() throws {
        let description = try refusal(of: video(sliceSize: 200), clearLead: RationalTime(10, timescale: 1))
        #expect(description.hasPrefix("clear-lead: the clear lead of 10 s covers"), "\(description)")
    }

    @Test("A live run publishes what precedes a sample without a slice, and ends with an error")
    func live() async throws {
        let scratch = try ScratchFolder()
        let inputs = try LongFilm.write(seconds: 30, to: scratch.path)
        let path = try #require(inputs.first { $0.hasSuffix("video.mp4") })
        var bytes = try scratch.bytes("video.mp4")
        var cursor = try MovieFile(reading: bytes.span.bytes).samples()
        var place = 0..<0
        // There are 12 samples per second, so this one is in the third segment.
        for _ in 0..<185 { place = try #require(try cursor.next(bytes.span.bytes)).range }
        // Its NAL units become filler data.
        var unit = place.lowerBound
        while unit < place.upperBound {
            let size = bytes[unit..<unit + 4].reduce(0) { $0 << 8 | Int($1) }
            bytes[unit + 4] = 12
            unit += 4 + size
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var job = LiveFixture.job(inputs, to: scratch.path + "/out", rotation: nil)
        job.live = .event
        do {
            _ = try await LiveRun.run(job, keys: LiveFixture.keys, stop: StopSignal()) { _ in }
            Issue.record("the sample without a slice was published")
        } catch {
            #expect("\(error)".contains("video.mp4: the sample at byte \(place.lowerBound)"), "\(error)")
            #expect("\(error)".contains("no slice"))
        }
        let playlist = try MediaPlaylist(parsing: scratch.bytes("out/video-64/media.m3u8"))
        #expect(playlist.segments.count == 2 && !playlist.isEnded)
    }

    /// The measured number of encrypted bytes is compared with the bytes that differ from the clear samples: of 256
    /// encrypted bytes, about one is equal by chance.
    @Test("The measured number of encrypted bytes is the number that changed", arguments: ["vide", "soun"] as [FourCC])
    func measured(kind: FourCC) throws {
        let input = try TestTrack.fixture(kind)
        for scheme in [TrackProtection.Scheme.cbcs, .cenc] {
            let protection = try testProtection(scheme)
            let writer = try FragmentedMP4Writer(input.track, protection: protection)
            let segments = input.segments(of: 9, isProtected: true)
            var changed = 0
            for segment in segments {
                let output = MemoryOutput()
                _ = try writer.write(segment, to: output)
                let bytes = output.bytes
                let boxes = BoxTree(reading: bytes.span.bytes).boxes
                let media = boxes.filter { $0.type == "mdat" }.flatMap { bytes[$0.offset + 8..<$0.offset + $0.size] }
                let clear = segment.samples.flatMap { $0.withBytes { $0.withUnsafeBytes { [UInt8]($0) } } }
                #expect(media.count == clear.count)
                changed += zip(clear, media).count { $0 != $1 }
            }
            #expect(writer.encryptionCount.encrypted >= changed)
            #expect(writer.encryptionCount.encrypted * 98 / 100 <= changed)
            let whole = input.samples.reduce(0) { $0 + $1.size }
            let share = Double(writer.encryptionCount.encrypted) / Double(whole)
            #expect(share > (kind == "soun" ? 0.5 : 0.01), "\(share)")
        }
    }

    @Test("A cipher that encrypts less than the sizes of the slices require is found")
    func missingSlice() throws {
        let input = try TestTrack.fixture("vide")
        let cipher = try SampleCipher(
            .cbcsVideo,
            .encrypt,
            key: testProtection(.cbcs).key,
            constantIV: try CipherIV(testIV)
        )
        let meter = ProtectionMeter(cipher)
        meter.addSample()
        meter.add(coded: 1000)
        meter.add(coded: 1000)
        var bytes = [UInt8](repeating: 0, count: 1000)
        var batch = SampleBatch()
        batch.append(offset: 0, size: 1000, subsamples: [Subsample(clear: 0, protected: 1000)])
        try cipher.process(batch, in: &bytes)
        let segment = input.segment(4, 0..<1, isProtected: true)
        do {
            _ = try meter.end(segment)
            Issue.record("the missing slice was not noticed")
        } catch {
            #expect(error.segment == 5)
            #expect(error.reason == "only 112 of 224 bytes are encrypted")
        }
        // The next segment is measured by itself.
        meter.addSample()
        meter.add(coded: 1000)
        try cipher.process(batch, in: &bytes)
        #expect(try meter.end(segment) == EncryptionCount(encrypted: 112, coded: 1000))
    }

    @Test("A scheme that the container does not support is refused, so that no sample stays clear")
    func wrongContainer() throws {
        let (video, audio) = (try TestTrack.fixture("vide").track, try TestTrack.fixture("soun").track)
        for scheme in [TrackProtection.Scheme.cbcs, .cenc] {
            let protection = try testProtection(scheme)
            #expect(throws: OutputFailure.self) { try TransportStreamWriter(video, protection: protection) }
            #expect(throws: OutputFailure.self) { try PackedAudioWriter(audio, protection: protection) }
        }
        let protection = try testProtection(.sampleAES)
        #expect(throws: OutputFailure.self) { try FragmentedMP4Writer(video, protection: protection) }
    }
}
