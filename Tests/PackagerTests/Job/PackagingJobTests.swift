import DRMSignaling
import FPSCrypto
import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("Jobs")
struct PackagingJobTests {
    private static func key(_ number: UInt8, hasIV: Bool = true) throws -> PackagingKey {
        try PackagingKey(
            keyID: try #require(ContentKeyID([UInt8](repeating: number, count: 16))),
            key: SecretBytes(copying: [UInt8](repeating: 0xAB, count: 16)),
            iv: hasIV ? SecretBytes(copying: [UInt8](repeating: 0xCD, count: 16)) : nil
        )
    }

    private static func job(
        _ scheme: TrackProtection.Scheme? = .cbcs,
        _ container: PackagingJob.Container = .fmp4,
        _ systems: [ProtectionSystem] = [.fairPlay],
        change: (inout PackagingJob) throws -> Void = { _ in }
    ) throws -> PackagingJob {
        var job = PackagingJob(inputs: [PackagingJob.Input(path: "film.mp4")], output: "site")
        job.scheme = scheme
        job.container = container
        job.systems = systems
        if scheme != nil { job.keys = ContentKeys(shared: try key(1)) }
        if systems == [.identity] { job.keyURI = try KeyURITemplate("https://keys.example.com/{kid}") }
        try change(&job)
        return job
    }

    /// The option in the error of a job; nil if the job is valid.
    private static func refusal(_ job: PackagingJob) -> String? {
        do {
            try job.validate()
            return nil
        } catch {
            let text = "\(error)"
            #expect(!text.contains("abababab") && !text.lowercased().contains("cdcdcdcd"))
            return (error as? JobFailure)?.option ?? (error as? SignalingError)?.code.rawValue
        }
    }

    @Test("with consistent options are valid")
    func sensible() throws {
        for (scheme, container, systems) in [
            (TrackProtection.Scheme.cbcs, PackagingJob.Container.fmp4, [ProtectionSystem.fairPlay, .common]),
            (.cbcs, .fmp4, [.identity]), (.sampleAES, .ts, [.fairPlay]), (.sampleAES, .ts, [.identity]),
            (.aes128, .ts, [.identity]), (.aes128, .fmp4, [.identity]),
        ] {
            #expect(Self.refusal(try Self.job(scheme, container, systems)) == nil)
        }
        #expect(Self.refusal(try Self.job(nil, .ts, [])) == nil)
        let divided = try Self.job { job in
            job.inputs = ["video", "audio"].map { kind in
                var input = PackagingJob.Input(path: "film.mp4")
                input.tracks = kind == "video" ? [.video] : [.audio]
                return input
            }
        }
        #expect(Self.refusal(divided) == nil)
    }

    @Test("with contradicting options are rejected with the option to change")
    func contradictions() throws {
        let cases: [(String, PackagingJob)] = [
            ("scheme", try Self.job(.cbcs, .ts)),
            ("scheme", try Self.job(.sampleAES, .fmp4)),
            ("systems", try Self.job(.aes128, .fmp4, [.fairPlay])),
            ("systems", try Self.job(.aes128, .ts, [.common])),
            ("systems", try Self.job(.sampleAES, .ts, [.common])),
            ("systems", try Self.job(.cbcs, .fmp4, [])),
            ("keys", try Self.job { $0.keys = ContentKeys() }),
            ("scheme", try Self.job(nil, .fmp4, []) { $0.keys = ContentKeys(shared: try Self.key(1)) }),
            ("systems", try Self.job(nil, .fmp4, [.fairPlay])),
            ("clear-lead", try Self.job(nil, .fmp4, []) { $0.clearLead = RationalTime(6, timescale: 1) }),
            ("clear-lead", try Self.job { $0.clearLead = .zero }),
            ("iv", try Self.job { $0.keys = ContentKeys(shared: try Self.key(1, hasIV: false)) }),
            (
                "iv",
                try Self.job(.cbcs, .fmp4, [.common]) { $0.keys = ContentKeys(shared: try Self.key(1, hasIV: false)) }
            ),
            ("key-uri", try Self.job(.cbcs, .fmp4, [.identity]) { $0.keyURI = nil }),
            ("key-uri", try Self.job(.cbcs, .fmp4, [.common]) { $0.keyURI = .fairPlay }),
            ("invalid-key-uri", try Self.job { $0.keyURI = try KeyURITemplate("https://x/{kid}") }),
            ("invalid-key-uri", try Self.job { $0.keyURI = try KeyURITemplate("skd://{title}") }),
            (
                "invalid-key-uri",
                try Self.job {
                    $0.keyURI = try KeyURITemplate("skd://film")
                    $0.keys.classes[.hd] = try Self.key(2)
                }
            ),
            ("segment-duration", try Self.job { $0.segmentDuration = .zero }),
            ("segment-duration", try Self.job { $0.segmentDuration = RationalTime(61, timescale: 1) }),
            ("input", try Self.job { $0.inputs = [] }),
            ("input", try Self.job { $0.inputs += $0.inputs }),
            (
                "input",
                try Self.job { job in
                    job.inputs = [MediaTrack.Kind.video, .audio].map { kind in
                        var input = PackagingJob.Input(path: "-")
                        input.tracks = [kind]
                        return input
                    }
                }
            ),
            ("out", try Self.job { $0.output = "" }),
            ("out", try Self.job { $0.output = "-" }),
            ("out", try Self.job { $0.output = "film.mp4" }),
            ("out", try Self.job { $0.inputs = [PackagingJob.Input(path: "site/video-1080/media.mp4")] }),
            ("out", try Self.job { $0.inputs = [PackagingJob.Input(path: "./site/../site/main.m3u8")] }),
        ]
        for (index, (option, job)) in cases.enumerated() {
            #expect(Self.refusal(job) == option, "case \(index)")
        }
    }

    @Test(
        "reject names outside of the folder or invalid in a playlist",
        arguments: ["", "../x", "a b", ".x", "a\"b"]
    )
    func names(name: String) throws {
        let job = try Self.job { $0.names.media = name }
        #expect(throws: JobFailure.self) { try job.validate() }
    }

    @Test("may have their input next to the playlists, but not in a rendition's folder through a symbolic link")
    func links() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "site/old"),
            withIntermediateDirectories: true
        )
        try Data().write(to: folder.appending(path: "site/old/film.mp4"))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "link.mp4"),
            withDestinationURL: folder.appending(path: "site/old/film.mp4")
        )
        let output = folder.appending(path: "site").path
        var job = try Self.job { $0.output = output }
        job.inputs = [PackagingJob.Input(path: output + "/film.mp4")]
        #expect(Self.refusal(job) == nil)
        job.inputs = [PackagingJob.Input(path: folder.appending(path: "link.mp4").path)]
        #expect(Self.refusal(job) == "out")
        job.output = output + "/old/film.mp4"
        #expect(Self.refusal(job) == "out")
    }

    @Test("select the key of each class, and report a class without a key")
    func classes() throws {
        let job = try Self.job { job in
            job.keys = ContentKeys()
            job.keys.classes = [.hd: try Self.key(2), .audio: try Self.key(3)]
        }
        let input = job.inputs[0]
        let hd = try Renditions.videoTrack(width: 1280, height: 720)
        #expect(try job.protection(of: hd, from: input)?.keyID == [UInt8](repeating: 2, count: 16))
        #expect(try job.protection(of: Renditions.audioTrack(), from: input)?.keyID.first == 3)
        #expect(try job.protection(of: Renditions.subtitlesTrack(language: "en"), from: input) == nil)
        let uhd = try Renditions.videoTrack(width: 3840, height: 2160)
        let error = #expect(throws: JobFailure.self) { try job.protection(of: uhd, from: input) }
        #expect(error?.reason.contains("UHD") == true)
        var policy = input
        policy.policy = .trackClass(.hd)
        #expect(try job.protection(of: uhd, from: policy)?.keyID.first == 2)
        policy.policy = .clear
        #expect(try job.protection(of: uhd, from: policy) == nil)
    }

    @Test("reject a clear lead that covers the presentation, with times in milliseconds")
    func clearLead() throws {
        let job = try Self.job { $0.clearLead = RationalTime(10_050, timescale: 1000) }
        try job.checkClearLead(presentation: RationalTime(10_051, timescale: 1000))
        let error = #expect(throws: JobFailure.self) {
            try job.checkClearLead(presentation: RationalTime(10, timescale: 1))
        }
        #expect(error?.reason.contains("presentation of 10 s") == true && error?.reason.contains("10.050 s") == true)
    }

    @Test("write a pssh box for each system with the key ID, only with Common Encryption")
    func headers() throws {
        let keyID = [UInt8](repeating: 1, count: 16)
        let protection = TrackProtection(
            scheme: .cbcs,
            keyID: keyID,
            key: SecretBytes(copying: [UInt8](repeating: 2, count: 16)),
            iv: nil
        )
        let headers = try Self.job(.cbcs, .fmp4, [.fairPlay, .common]).protectionHeaders(of: protection)
        #expect(headers.map(\.keyIDs) == [[keyID], [keyID]])
        #expect(headers.map { $0.systemID.first } == [0x94, 0x10])
        #expect(try Self.job(.sampleAES, .ts).protectionHeaders(of: protection).isEmpty)
    }

    @Test("generate keys that differ in all parts")
    func random() throws {
        let keys = try ContentKeys.random()
        #expect(keys.all.count == 4 && keys.shared == nil)
        #expect(Set(keys.all.map(\.key.keyID)).count == 4)
        #expect(Set(keys.all.map { $0.key.key.reveal() }).count == 4)
        #expect(Set(keys.all.compactMap { $0.key.iv?.reveal() }).count == 4)
    }

    @Test("add missing IVs to keys, and keep existing ones")
    func randomIVs() throws {
        var keys = ContentKeys(shared: try Self.key(1, hasIV: false))
        keys.classes[.hd] = try Self.key(1, hasIV: false)
        keys.classes[.sd] = try Self.key(2)
        try keys.addRandomIVs()
        #expect(keys.shared?.iv?.count == 16)
        #expect(keys.shared == keys.classes[.hd])
        #expect(keys.classes[.sd] == (try Self.key(2)))
    }

    @Test("with URLs as inputs or output are refused", arguments: ["s3://b/x", "https://e.com/x.mp4", "file:///b/x"])
    func urls(text: String) throws {
        #expect(Self.refusal(try Self.job { $0.output = text }) == "out")
        #expect(Self.refusal(try Self.job { $0.inputs[0].path = text }) == "input")
        let failure = try #require(throws: JobFailure.self) { try PackagingJob.Input(parsing: text + ",lang=en") }
        #expect(failure.reason.hasPrefix("\(text) is a URL, but input is read from files: "))
    }
}
