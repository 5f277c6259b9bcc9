import ByteCoding
import FPSCrypto
import Foundation
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import StreamValidation

/// The keys and vectors are those with which Shaka Packager made the clips (see
/// Tests/PackagerTests/Fixtures/Decrypting/make).
@Suite("A key is tried on encrypted samples")
struct DecryptionVerdictTests {
    static let audioKey = SecretBytes(copying: (0..<16).map { UInt8(0xFF - 0x11 * $0) })
    static let videoKey = SecretBytes(copying: (0..<16).map { UInt8(0x11 * $0) })
    static let vector = [UInt8](0..<16).reversed() as [UInt8]

    static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    private static func excerpt(_ name: String) throws -> EncryptedExcerpt {
        let bytes = try clip(name)
        return try #require(try excerpts(bytes, name).first)
    }

    private static func excerpts(_ bytes: [UInt8], _ name: String) throws -> [EncryptedExcerpt] {
        let span = bytes.span.bytes
        if name.hasSuffix(".mp4") {
            let movie = try MP4Decryptor.movie(of: span)
            return EncryptedExcerpt.excerpts(of: span, movie: movie, isTruncated: false)
        }
        if name.hasSuffix(".ts") { return EncryptedExcerpt.excerpts(ofTransportStream: span, tables: []) }
        return [EncryptedExcerpt.excerpt(ofPackedAudio: span)].compactMap(\.self)
    }

    private static func judge(
        _ excerpt: EncryptedExcerpt,
        _ key: SecretBytes?,
        _ iv: [UInt8]? = vector,
        decoder: (any ExternalDecoder)? = nil,
        vectors: [ExcerptJudge.Vector] = [],
        candidates: [ExcerptJudge.Candidate] = []
    ) async throws -> ExcerptJudge.Result? {
        let iv = try iv.map { try CipherIV($0) }
        var judge = ExcerptJudge(excerpt: excerpt, decoder: decoder)
        return await judge.judge(key: key, delivered: iv, vectors: vectors, candidates: candidates)
    }

    private static let audioClips = [
        "cbcs-audio.mp4", "sample-aes-packed-1.ac3", "sample-aes-packed-1.eac3", "sample-aes-ac3-1.ts",
    ]

    @Test("The right key opens audio", arguments: audioClips)
    func opened(name: String) async throws {
        let result = try #require(try await Self.judge(try Self.excerpt(name), Self.audioKey))
        #expect(result.verdict == .opened && result.frameCount >= 10, "\(result)")
    }

    @Test("None of 1,000 wrong keys opens audio", arguments: audioClips)
    func wrongKeys(name: String) async throws {
        var excerpt = try Self.excerpt(name)
        excerpt.samples = Array(excerpt.samples.prefix(20))
        var random = SeededRandom(seed: 35)
        for _ in 0..<1000 {
            let key = SecretBytes(count: 16, randomFrom: &random)
            let result = try #require(try await Self.judge(excerpt, key))
            #expect(result.verdict == .wrongKey, "\(result)")
        }
    }

    @Test("A wrong vector is told apart from a wrong key", arguments: audioClips)
    func wrongVectors(name: String) async throws {
        var excerpt = try Self.excerpt(name)
        let right = try excerpt.mediaIV ?? CipherIV(Self.vector)
        var random = SeededRandom(seed: 35)
        for _ in 0..<100 {
            let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            for index in excerpt.samples.indices where excerpt.samples[index].iv != nil {
                excerpt.samples[index].iv = try CipherIV(bytes)
            }
            let vectors = [ExcerptJudge.Vector(source: "the right one", iv: right)]
            let result = try #require(try await Self.judge(excerpt, Self.audioKey, bytes, vectors: vectors))
            #expect(result.verdict == .wrongIV && result.opensWithIV == "the right one", "\(result)")
        }
    }

    @Test("Another key that opens the audio is named")
    func otherKeys() async throws {
        let excerpt = try Self.excerpt("cbcs-audio.mp4")
        let other = ExcerptJudge.Candidate(key: Self.audioKey, reason: .other(uri: "skd://audio"))
        let result = try #require(try await Self.judge(excerpt, Self.videoKey, candidates: [other]))
        #expect(result.verdict == .wrongKey && result.opensWith == .other(uri: "skd://audio"))
    }

    @Test("Clear audio that is declared as encrypted is found, with any key and without one")
    func notEncrypted() async throws {
        var excerpt = try Self.excerpt("cbcs-audio.mp4")
        let clear = try #require(excerpt.decrypted(key: Self.audioKey, iv: nil))
        excerpt.bytes = clear.flatMap { $0.flatMap(\.self) }
        #expect(try await Self.judge(excerpt, Self.audioKey)?.verdict == .notEncrypted)
        #expect(try await Self.judge(excerpt, nil)?.verdict == .notEncrypted)
        #expect(try await Self.judge(try Self.excerpt("cbcs-audio.mp4"), nil) == nil)
    }

    @Test("Few frames decide nothing")
    func fewFrames() async throws {
        var excerpt = try Self.excerpt("cbcs-audio.mp4")
        excerpt.samples = Array(excerpt.samples.prefix(5))
        for key in [Self.audioKey, Self.videoKey] {
            #expect(try await Self.judge(excerpt, key)?.verdict == .undecided)
        }
    }

    @Test("Equal frames, as those of silence, decide no more than one")
    func silence() async throws {
        var excerpt = try Self.excerpt("cbcs-audio.mp4")
        excerpt.samples = Array(repeating: excerpt.samples[10], count: 60)
        for key in [Self.audioKey, Self.videoKey] {
            #expect(try await Self.judge(excerpt, key)?.verdict == .undecided)
        }
    }

    @Test(
        "Damaged and truncated segments lead to no crash",
        arguments: [
            "cbcs-audio.mp4", "cbcs-video.mp4", "sample-aes-video-1.ts", "sample-aes-aac-1.ts",
            "sample-aes-packed-1.eac3",
        ]
    )
    func damage(name: String) async throws {
        let bytes = try Self.clip(name)
        var random = SeededRandom(seed: 35)
        for count in stride(from: 0, to: bytes.count, by: 97) {
            var damaged = bytes
            for _ in 0..<8 {
                damaged[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            for segment in [Array(bytes.prefix(count)), damaged] {
                for excerpt in (try? Self.excerpts(segment, name)) ?? [] {
                    _ = try await Self.judge(excerpt, Self.audioKey)
                    #expect(excerpt.bytes.count <= bytes.count)
                }
            }
        }
    }

    // MARK: Decoders

    /// A decoder that counts the bytes that differ from a clear stream.
    struct Comparison: ExternalDecoder {
        let clear: [UInt8]
        var isBlind = false

        func decode(_ stream: [UInt8], as codec: ExternalDecoderCodec) async -> ExternalDecoderResult? {
            let errors = isBlind ? 0 : zip(stream, clear).count { $0 != $1 }
            return ExternalDecoderResult(frameCount: 1, errorCount: errors)
        }
    }

    /// Returns the stream that a decoder gets with the right key.
    private static func stream(_ excerpt: EncryptedExcerpt, _ key: SecretBytes) throws -> [UInt8] {
        let frames = try #require(excerpt.decrypted(key: key, iv: excerpt.mediaIV == nil ? CipherIV(vector) : nil))
        if excerpt.format == .adts { return frames.flatMap { $0.flatMap(\.self) } }
        return (excerpt.parameterSets + frames.flatMap(\.self)).flatMap { [0, 0, 0, 1] + $0 }
    }

    @Test(
        "Pictures and AAC with headers are decided by a decoder",
        arguments: ["cbcs-video.mp4", "sample-aes-video-1.ts", "sample-aes-aac-1.ts"]
    )
    func decoder(name: String) async throws {
        let excerpt = try Self.excerpt(name)
        let key = excerpt.kind == .video ? Self.videoKey : Self.audioKey
        let decoder = Comparison(clear: try Self.stream(excerpt, key))
        #expect(try await Self.judge(excerpt, key)?.verdict == .undecided)
        #expect(try await Self.judge(excerpt, key, decoder: decoder)?.verdict == .opened)
        var random = SeededRandom(seed: 35)
        for _ in 0..<50 {
            let wrong = SecretBytes(count: 16, randomFrom: &random)
            #expect(try await Self.judge(excerpt, wrong, decoder: decoder)?.verdict == .wrongKey)
        }
        let blind = Comparison(clear: [], isBlind: true)
        #expect(try await Self.judge(excerpt, key, decoder: blind)?.verdict == .undecided)
    }

    @Test("The decrypted stream equals the clear one", arguments: ["video", "aac"])
    func clearStreams(kind: String) async throws {
        let excerpt = try Self.excerpt("sample-aes-\(kind)-1.ts")
        let stream = try Self.stream(excerpt, kind == "video" ? Self.videoKey : Self.audioKey)
        var demuxer = TransportDemuxer()
        var clear: [UInt8] = []
        let bytes = try Self.clip("clear-\(kind)-1.ts")
        try demuxer.feed(bytes.span.bytes) { clear += $0.payload }
        try demuxer.finish { clear += $0.payload }
        if kind == "aac" {
            #expect(clear.starts(with: stream) && !stream.isEmpty)
        } else {
            // Start codes differ in size.
            var units = AnnexBNALUnits()
            var list: [[UInt8]] = []
            while let range = units.next(clear.span.bytes) { list.append(Array(clear[range])) }
            let expected = list.flatMap { [0, 0, 0, 1] + $0 } as [UInt8]
            #expect(expected.starts(with: stream) && stream.count > 1000)
        }
    }

    // MARK: Whole segments

    @Test(
        "Segments that are encrypted as a whole are opened, or the key or the vector is named as wrong",
        arguments: ["clear-video-1.ts", "clear.mp4"]
    )
    func wholeSegments(name: String) throws {
        let clear = try Self.clip(name)
        let (right, wrong) = (try CipherIV(Self.vector), CipherIV(mediaSequenceNumber: 7))
        var segments = [clear]
        try SegmentCipher(key: Self.audioKey).encrypt(&segments, ivs: [right])
        let check = WholeSegmentCheck(segment: segments[0])
        let vectors = [ExcerptJudge.Vector(source: "the right one", iv: right)]
        let opened = try #require(check.judge(key: Self.audioKey, iv: right, vectors: [], candidates: []))
        #expect(opened.verdict == .opened && opened.clear == clear)
        let corrected = try #require(check.judge(key: Self.audioKey, iv: wrong, vectors: vectors, candidates: []))
        #expect(corrected.verdict == .wrongIV && corrected.clear == clear && corrected.opensWithIV == "the right one")
        let unknown = try #require(check.judge(key: Self.audioKey, iv: wrong, vectors: [], candidates: []))
        #expect(unknown.verdict == .wrongIV && unknown.clear == nil)
        #expect(
            WholeSegmentCheck(segment: clear).judge(key: Self.audioKey, iv: right, vectors: [], candidates: [])?.verdict
                == .notEncrypted
        )
        var random = SeededRandom(seed: 35)
        for _ in 0..<1000 {
            let key = SecretBytes(count: 16, randomFrom: &random)
            #expect(check.judge(key: key, iv: right, vectors: vectors, candidates: [])?.verdict == .wrongKey)
        }
    }

    @Test(
        "A segment with AES-256-GCM is opened, or the key is named as wrong",
        arguments: ["clear-video-1.ts", "clear.mp4"]
    )
    func authenticatedSegments(name: String) throws {
        let clear = try Self.clip(name)
        var random = SeededRandom(seed: 35)
        let (key, other) = (SecretBytes(count: 32, randomFrom: &random), SecretBytes(count: 32, randomFrom: &random))
        let sealed = try AES256GCM.seal(clear, key: key)
        func judge(_ segment: [UInt8], _ key: SecretBytes?) -> WholeSegmentCheck.Result? {
            let candidate = ExcerptJudge.Candidate(key: other, reason: .other(uri: "skd://other"))
            let check = WholeSegmentCheck(segment: segment, method: .aes256GCM)
            return check.judge(key: key, iv: nil, vectors: [], candidates: [candidate])
        }
        let opened = try #require(judge(sealed, key))
        #expect(opened.verdict == .opened && opened.clear == clear)
        #expect(judge(sealed, Self.videoKey)?.verdict == .wrongKey, "a key of 16 bytes")
        #expect(judge(sealed, SecretBytes(count: 32, randomFrom: &random))?.verdict == .undecided)
        #expect(judge(try AES256GCM.seal(clear, key: other), key)?.opensWith == .other(uri: "skd://other"))
        #expect(judge(sealed, nil) == nil && judge(clear, nil)?.verdict == .notEncrypted)
        for count in [0, 1, 12, 27, 28, sealed.count - 1] {
            #expect(judge(Array(sealed.prefix(count)), key)?.verdict == .undecided)
        }
    }
}
