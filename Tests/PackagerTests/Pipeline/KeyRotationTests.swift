import DASHManifest
import DRMSignaling
import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

@Suite("VOD presentations with key rotation")
struct KeyRotationTests {
    private static func periods(_ count: Int) async throws -> [ContentKeyPeriod] {
        let source = try DerivedKeyPeriods(secret: SecretBytes(copying: [UInt8](repeating: 3, count: 16)))
        var periods: [ContentKeyPeriod] = []
        for number in 0..<count {
            periods.append(
                try await source.period(
                    KeyPeriodRequest(number: number, trackClasses: TrackClass.allCases, duration: 1)
                )
            )
        }
        return periods
    }

    private static func job(_ scheme: TrackProtection.Scheme?, to folder: String) throws -> PackagingJob {
        var job = try PipelineFixture.job(["film.mp4"], to: folder, scheme: scheme)
        guard scheme != nil else { return job }
        job.keys = ContentKeys()
        job.keysArriveLater = true
        job.rotation = KeyRotation(.segments(1))
        if scheme == .cenc { job.systems = [.common] }
        return job
    }

    private static func keys(_ periods: [ContentKeyPeriod]) throws -> DecryptionKeys {
        DecryptionKeys(
            try periods.flatMap(\.keys.all).map { entry in
                let id = try #require(KeyID(entry.key.keyID.bytes))
                let iv = try entry.key.iv.map { try $0.withUnsafeBytes { try CipherIV($0) } }
                return (id: id, key: DecryptionKey(key: entry.key.key, iv: iv))
            }
        )
    }

    private static func packaged(_ job: PackagingJob, _ periods: [ContentKeyPeriod]) throws {
        _ = try PackagingRun(PackagingPlan(job), periods: periods).run()
    }

    @Test("decrypt to the clear presentation, and are valid for the linter", arguments: TrackProtection.Scheme.allCases)
    func decrypts(scheme: TrackProtection.Scheme) async throws {
        let folder = try ScratchFolder()
        let periods = try await Self.periods(4)
        let job = try Self.job(scheme, to: folder.path + "/in")
        let wanted = try PackagingPlan(job).maximumPeriods ?? 0
        let all = try await Self.periods(wanted)
        try Self.packaged(job, all)
        let main = try LintFile(name: "main.m3u8", bytes: folder.bytes("in/main.m3u8"))
        let findings = Linter().check(presentation: main) { uri in
            try? LintFile(name: uri, bytes: folder.bytes("in/" + uri))
        }
        // AES-128 segments have no I-frame playlist, and Apple's players do not support cenc.
        let expected: [TrackProtection.Scheme: RuleID] = [.aes128: "no-i-frame-variants", .cenc: "sample-aes-ctr"]
        let unexpected = findings.filter { $0.diagnostic.rule != expected[scheme] }
        #expect(unexpected.isEmpty, "\(unexpected)")

        let media = try MediaPlaylist(parsing: folder.bytes("in/video-64/media.m3u8"))
        #expect(media.segments.count == 3)
        #expect(media.segments.allSatisfy { $0.keys.count == job.systems.count })
        #expect(Set(media.segments.flatMap(\.keys).map(\.uri)).count == 3 * job.systems.count)
        if job.container == .fmp4, scheme != .aes128 {
            #expect(media.segments.compactMap { $0.map?.uri } == ["init.mp4", "init-1.mp4", "init-2.mp4"])
        }
        _ = try PresentationDecryptor(keys: Self.keys(all)).decrypt(
            folder.path + "/in/main.m3u8",
            to: folder.path + "/out"
        )
        var clear = try Self.job(nil, to: folder.path + "/clear")
        clear.container = job.container
        try PipelineFixture.package(clear)
        for rendition in ["video-64", "audio"] {
            #expect(
                try samples(of: rendition, in: folder, "out") == samples(of: rendition, in: folder, "clear"),
                "\(rendition)"
            )
        }
        #expect(throws: (any Error).self, "the key of a period does not decrypt the segments of another") {
            try PresentationDecryptor(keys: Self.keys([periods[0], periods[1]])).decrypt(
                folder.path + "/in/main.m3u8",
                to: folder.path + "/wrong"
            )
        }
    }

    /// Returns the samples of all segments of a rendition: for fragmented MP4 read with the package's reader, otherwise
    /// the lengths of the files, because decrypted transport streams differ in their tables.
    private func samples(of rendition: String, in folder: ScratchFolder, _ part: String) throws -> [[UInt8]] {
        let playlist = try MediaPlaylist(parsing: folder.bytes("\(part)/\(rendition)/media.m3u8"))
        var list: [[UInt8]] = []
        var map: [UInt8] = []
        for segment in playlist.segments {
            if let uri = segment.map?.uri { map = try folder.bytes("\(part)/\(rendition)/\(uri)") }
            let bytes = try folder.bytes("\(part)/\(rendition)/\(segment.uri)")
            guard !map.isEmpty else {
                let input = try MediaInputs.open("\(folder.path)/\(part)/\(rendition)/\(segment.uri)")
                while case .sample(_, let sample)? = try input.next() {
                    list.append(sample.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } })
                }
                continue
            }
            let file = map + bytes
            let movie = try MovieFile(reading: file.span.bytes)
            var cursor = movie.samples()
            while let sample = try cursor.next(file.span.bytes) { list.append(Array(file[sample.range])) }
        }
        return list
    }

    @Test("have a DASH Period for each key", arguments: [TrackProtection.Scheme.cbcs, .cenc])
    func dash(scheme: TrackProtection.Scheme) async throws {
        let folder = try ScratchFolder()
        var job = try Self.job(scheme, to: folder.path)
        job.manifests = [.hls, .dash]
        job.systems = [.common]
        try Self.packaged(job, try await Self.periods(8))
        let manifest = try MPD(folder.bytes("main.mpd"))
        #expect(manifest.periods.count == 3)
        let ids = manifest.periods.map { period in
            period.adaptationSets.compactMap { $0.protections.first?.defaultKeyID }
        }
        #expect(ids.allSatisfy { $0.count == 2 } && Set(ids.flatMap { $0 }).count == 6)
        let first = manifest.periods.compactMap { $0.adaptationSets.first?.representations.first?.template }
        #expect(first.map(\.initialization) == ["init.mp4", "init-1.mp4", "init-2.mp4"].map { "video-64/" + $0 })
        let findings = MPDChecker().check(manifest)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("are rejected if a period has no keys, or those of another")
    func missingKeys() async throws {
        let folder = try ScratchFolder()
        let job = try Self.job(.cbcs, to: folder.path)
        let periods = try await Self.periods(8)
        var twice = periods
        twice[1].keys = periods[0].keys
        var empty = periods
        empty[2].keys = ContentKeys()
        for wrong in [[], [periods[0]], twice, empty] {
            #expect(throws: (any Error).self) { try Self.packaged(job, wrong) }
        }
        #expect(folder.files().isEmpty)
    }

    @Test("cannot be single files, have the same URI for all keys, or be read from a pipe")
    func refusals() throws {
        var job = try Self.job(.cbcs, to: "out")
        job.isSingleFile = true
        #expect(throws: JobFailure.self) { try job.validate() }
        job.isSingleFile = false
        job.keyURI = try KeyURITemplate("skd://{track}")
        #expect(throws: JobFailure.self) { try job.validate() }
        job.keyURI = nil
        let bytes = try Data(contentsOf: URL(fileURLWithPath: PipelineFixture.path("fragmented.mp4")))
        job.inputs = [PackagingJob.Input(path: "-")]
        let pipe = Pipe()
        DispatchQueue.global().async {
            try? pipe.fileHandleForWriting.write(contentsOf: bytes)
            try? pipe.fileHandleForWriting.close()
        }
        let error = #expect(throws: JobFailure.self) {
            try PackagingPlan(job) { _ in
                try MediaInputs.open(PipeReader(descriptor: pipe.fileHandleForReading.fileDescriptor))
            }
        }
        #expect(error?.option == "rotate-keys")
    }
}
