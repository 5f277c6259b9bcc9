import FPSCrypto
import Foundation
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Files that the project's writers and ciphers create, in formats that other packagers do not write.
@Suite("Decrypting media of this packager")
struct RoundTripTests {
    typealias IV = CipherIV

    /// A way to encrypt a track.
    struct Form: Sendable, CustomTestStringConvertible {
        var scheme: String
        var pattern: (crypt: Int, skip: Int) = (0, 0)
        /// The size of each sample's initialization vector in bytes; 0 if they share one.
        var vectorSize = 0
        var hasSubsamples = true
        /// The number of subsamples in a sample.
        var subsampleCount = 2

        var testDescription: String {
            "\(scheme) \(pattern.crypt):\(pattern.skip), \(vectorSize), \(hasSubsamples), \(subsampleCount)"
        }

        var protection: ProtectionScheme {
            get throws {
                let pattern = try EncryptionPattern(cryptBlocks: self.pattern.crypt, skipBlocks: self.pattern.skip)
                switch scheme {
                case "cbcs": return .cbcs(pattern)
                case "cens": return .cens(pattern)
                case "cbc1": return .cbc1
                default: return .cenc
                }
            }
        }

        var encryption: FragmentWriter.Encryption {
            if vectorSize == 0 { return hasSubsamples ? .subsamples : .wholeSamples }
            return hasSubsamples ? .vectorsAndSubsamples : .vectors
        }
    }

    static let forms: [Form] = [
        Form(scheme: "cbcs", pattern: (1, 9)),
        Form(scheme: "cbcs", pattern: (5, 5), vectorSize: 16),
        Form(scheme: "cbcs", hasSubsamples: false),
        Form(scheme: "cenc", vectorSize: 8),
        Form(scheme: "cenc", vectorSize: 16, hasSubsamples: false),
        Form(scheme: "cenc", hasSubsamples: false),
        // More than saiz can represent: only senc contains them.
        Form(scheme: "cenc", vectorSize: 16, subsampleCount: 60),
        Form(scheme: "cens", pattern: (2, 3), vectorSize: 8),
        Form(scheme: "cbc1", vectorSize: 16),
        Form(scheme: "cbc1", vectorSize: 16, hasSubsamples: false),
    ]

    private static let constantIV = (0..<16).map { UInt8($0 * 11) }

    private func entry(_ form: Form, keyID: [UInt8]) -> SampleEntry {
        let entry = SampleEntry(
            format: "avc1",
            fields: .visual(VisualSampleFields(width: 64, height: 48)),
            boxes: [RawBox(type: "avcC", content: [1, 2, 3])]
        )
        let scheme: [String: FourCC] = ["cbcs": "cbcs", "cenc": "cenc", "cens": "cens", "cbc1": "cbc1"]
        return entry.protected(
            scheme: scheme[form.scheme] ?? "cenc",
            trackEncryption: TrackEncryptionBox(
                cryptByteBlock: UInt8(form.pattern.crypt),
                skipByteBlock: UInt8(form.pattern.skip),
                perSampleIVSize: UInt8(form.vectorSize),
                keyID: keyID,
                constantIV: form.vectorSize == 0 ? Self.constantIV : []
            )
        )
    }

    /// Clear samples of different sizes.
    private func samples(seed: Int) -> [[UInt8]] {
        [1000, 17, 4096, 333, 16, 2048].enumerated().map { index, size in
            (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 3) &+ index &+ seed) }
        }
    }

    private func subsamples(_ size: Int, _ form: Form) -> [Subsample] {
        guard form.hasSubsamples else { return [] }
        var list: [Subsample] = []
        var left = size
        let part = size / form.subsampleCount
        for _ in 0..<form.subsampleCount where left > 0 {
            let clear = min(5, left)
            // The protected parts of cbc1 are whole blocks.
            let rest = min(max(part - clear, 0), left - clear)
            list.append(Subsample(clear: clear, protected: form.scheme == "cbc1" ? rest / 16 * 16 : rest))
            left -= clear + (list.last?.protected ?? 0)
        }
        if left > 0 { list.append(Subsample(clear: left, protected: 0)) }
        return list
    }

    /// A media segment of one track.
    private func segment(_ form: Form, trackID: UInt32, number: UInt32, key: [UInt8]) throws -> [UInt8] {
        var writer = FragmentWriter(trackID: trackID, encryption: form.encryption)
        let cipher = try SampleCipher(
            form.protection,
            .encrypt,
            key: SecretBytes(copying: key),
            constantIV: try IV(Self.constantIV)
        )
        var data: [UInt8] = []
        var batch = SampleBatch()
        for (index, sample) in samples(seed: Int(trackID)).enumerated() {
            let parts = subsamples(sample.count, form)
            let vector = [UInt8](repeating: UInt8(index + 1), count: form.vectorSize)
            let iv = form.vectorSize > 0 ? try IV(vector) : nil
            if form.hasSubsamples {
                batch.append(offset: data.count, size: sample.count, subsamples: parts, iv: iv)
            } else {
                batch.append(offset: data.count, size: sample.count, iv: iv)
            }
            data += sample
            writer.append(
                FragmentSample(size: UInt32(sample.count), duration: 1000),
                iv: try #require(SampleIV(vector)),
                subsamples: parts.map { .init(clear: UInt16($0.clear), protected: UInt32($0.protected)) }
            )
        }
        try cipher.process(batch, in: &data)
        var output = BoxWriter()
        writer.finish(sequenceNumber: number, decodeTime: 0, to: &output)
        return output.bytes + data
    }

    private func initialization(_ tracks: [(id: UInt32, entry: SampleEntry)]) -> [UInt8] {
        var writer = BoxWriter()
        InitializationSegment(
            fileType: .cmafHeader(kind: "vide", hasEditList: false),
            timescale: 1000,
            tracks: tracks.map {
                InitializationSegment.Track(id: $0.id, kind: "vide", timescale: 1000, descriptions: [$0.entry])
            },
            protectionSystemHeaders: [
                ProtectionSystemHeaderBox(systemID: TestKeys.videoID, keyIDs: [TestKeys.videoID])
            ]
        )
        .write(to: &writer)
        return writer.bytes
    }

    private func read(_ file: [UInt8], track: UInt32) throws -> [[UInt8]] {
        var cursor = try MovieFile(reading: file.span.bytes).samples(of: [track])
        var list: [[UInt8]] = []
        while let sample = try cursor.next(file.span.bytes) { list.append(Array(file[sample.range])) }
        return list
    }

    @Test("Two tracks of a file, each with its own key", arguments: forms)
    func tracks(form: Form) throws {
        let header = initialization([
            (1, entry(form, keyID: TestKeys.videoID)), (2, entry(form, keyID: TestKeys.audioID)),
        ])
        let first = try segment(form, trackID: 1, number: 1, key: TestKeys.video)
        let second = try segment(form, trackID: 2, number: 2, key: TestKeys.audio)
        let file = header + first + second
        let (output, tracks) = try decrypted(file, TestKeys.all())
        for id in 1...2 as ClosedRange<UInt32> {
            #expect(try read(file, track: id) != samples(seed: Int(id)))
            #expect(try read(output, track: id) == samples(seed: Int(id)), "track \(id)")
        }
        #expect(tracks.map(\.decrypted) == [6, 6])
        #expect(tracks.map { $0.keyIDs.map(\.bytes) } == [[TestKeys.videoID], [TestKeys.audioID]])
        #expect(MP4Verifier.verify(output.span.bytes).isEmpty)
        let text = BoxTree(reading: output.span.bytes).description
        #expect(!text.contains("senc") && !text.contains("pssh") && !text.contains("encv"))
        // With the keys exchanged, the samples are different.
        let exchanged = try TestKeys.keys([(TestKeys.videoID, TestKeys.audio), (TestKeys.audioID, TestKeys.video)])
        let wrong = try decrypted(file, exchanged).bytes
        #expect(try read(wrong, track: 1) != samples(seed: 1))
    }

    @Test("Bytes between the samples are preserved")
    func surroundings() throws {
        let form = Form(scheme: "cbcs", pattern: (1, 9))
        let header = initialization([(1, entry(form, keyID: TestKeys.videoID))])
        let segment = try segment(form, trackID: 1, number: 1, key: TestKeys.video)
        let between: [UInt8] = [0, 0, 0, 16] + Array("skip".utf8) + [1, 2, 3, 4, 5, 6, 7, 8]
        let file = between + header + between + segment + between
        let (output, _) = try decrypted(file, TestKeys.all())
        #expect(output.prefix(16) == between[...])
        #expect(output[(16 + header.count)...].prefix(16) == between[...])
        #expect(output.suffix(16) == between[...])
    }

    @Test("A progressive file of ffmpeg, with initialization vectors in the sample table")
    func progressive() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "MediaFormatsTests/Fixtures")
        let file = [UInt8](try Data(contentsOf: folder.appending(path: "mp4-encrypted.mp4")))
        let clear = [UInt8](try Data(contentsOf: folder.appending(path: "mp4-progressive.mp4")))
        let (output, tracks) = try decrypted(file, TestKeys.all())
        for kind in ["vide", "soun"] as [FourCC] {
            #expect(try PackagerTests.samples(output, of: kind) == PackagerTests.samples(clear, of: kind))
            #expect(try PackagerTests.samples(file, of: kind) != PackagerTests.samples(clear, of: kind))
        }
        #expect(tracks.map(\.format) == ["avc1", "mp4a"])
        let text = BoxTree(reading: output.span.bytes).description
        #expect(!text.contains("senc") && !text.contains("saiz") && !text.contains("enca"))
    }
}
