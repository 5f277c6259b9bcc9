import ByteCoding
import FPSCrypto
import Foundation
import MediaFormats
import SampleEncryption
import Testing

@testable import StreamValidation

/// The streams are those of x265 with different tools of the codec (Tests/MediaFormatsTests/Fixtures/Video/make.sh): several
/// slices, wavefronts, open groups of pictures, 10 bits, sizes that are not multiples of a block.
@Suite("The ends of intra slices of HEVC show whether a key is right")
struct HEVCSliceTests {
    private static let streams = ["hevc-slices", "hevc-wpp", "hevc-open-gop", "hevc-closed", "hevc-hdr", "hevc-hlg"]

    /// Returns the pictures of a stream, each with its NAL units and the parameter sets before it.
    private static func pictures(_ name: String) throws -> [[[UInt8]]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "MediaFormatsTests/Fixtures/Video")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "\(name).hevc")))
        var units = AnnexBNALUnits()
        var pictures: [[[UInt8]]] = []
        var waiting: [[UInt8]] = []
        while let range = units.next(bytes.span.bytes) {
            let unit = Array(bytes[range])
            let type = HEVCNALHeader(unit.span.bytes)?.type
            if type?.isSlice == true, unit[2] & 0x80 == 0, !pictures.isEmpty {
                pictures[pictures.count - 1].append(unit)
            } else {
                waiting.append(unit)
                guard type?.isSlice == true else { continue }
                pictures.append(waiting)
                waiting = []
            }
        }
        return pictures
    }

    @Test("Right slices end where they must", arguments: streams)
    func right(name: String) throws {
        let test = HEVCSliceTest(try Self.pictures(name), parameterSets: [])
        #expect(test.count > 0 && test.passed == test.count, "\(test.passed) of \(test.count)")
    }

    @Test("Slices with a wrong key end elsewhere", arguments: streams)
    func wrong(name: String) throws {
        let pictures = try Self.pictures(name)
        var sets = HEVCParameterSets()
        for unit in pictures.flatMap(\.self) { _ = try? sets.update(unit.span.bytes) }
        var random = SeededRandom(seed: 35)
        var (count, passed) = (0, 0)
        for _ in 0..<10 {
            let damaged = pictures.map { picture in
                picture.map { unit -> [UInt8] in
                    guard let header = try? HEVCSliceHeader(unit.span.bytes, parameterSets: sets) else { return unit }
                    var unit = unit
                    // As cbcs: 16 of each 160 bytes after the header.
                    for start in stride(from: header.clearByteCount, through: unit.count - 16, by: 160) {
                        for index in start..<start + 16 { unit[index] = UInt8(truncatingIfNeeded: random.next()) | 4 }
                    }
                    return unit
                }
            }
            let test = HEVCSliceTest(damaged, parameterSets: [])
            count += test.count
            passed += test.passed
        }
        #expect(count >= 10 && passed * 1000 <= count, "\(passed) of \(count)")
    }

    @Test("Truncated and damaged slices lead to no crash", arguments: streams)
    func damage(name: String) throws {
        let pictures = try Self.pictures(name)
        var random = SeededRandom(seed: 36)
        for round in 0..<12 {
            let damaged = pictures.prefix(2).map { picture in
                picture.map { unit -> [UInt8] in
                    var unit = round % 2 == 0 ? unit : Array(unit.prefix(Int(random.next() % UInt64(unit.count + 1))))
                    for _ in 0..<round * 4 where !unit.isEmpty {
                        unit[Int(random.next() % UInt64(unit.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                    return unit
                }
            }
            let test = HEVCSliceTest(Array(damaged), parameterSets: [])
            #expect(test.passed <= test.count)
        }
    }

    @Test("Syntax that is not supported decides nothing", arguments: ["hevc-lossless", "hevc-qp"])
    func unsupported(name: String) throws {
        // Chroma formats 4:4:4 and 4:2:2.
        #expect(HEVCSliceTest(try Self.pictures(name), parameterSets: []).count == 0)
    }

    @Test("An excerpt is judged by its intra slices, without a decoder")
    func excerpt() async throws {
        let key = SecretBytes(copying: Array(1...16) as [UInt8])
        let picture = try #require(try Self.pictures("hevc-wpp").first)
        let slice = try #require(picture.last)
        var excerpt = EncryptedExcerpt(kind: .video, format: .hevc, scheme: .common(.cbcs(EncryptionPattern.video)))
        (excerpt.lengthSize, excerpt.startsAtKeyFrame, excerpt.parameterSets) = (4, true, picture.dropLast())
        var sets = HEVCParameterSets()
        for unit in picture { _ = try sets.update(unit.span.bytes) }
        let clear = 4 + (try HEVCSliceHeader(slice.span.bytes, parameterSets: sets)).clearByteCount
        excerpt.bytes = [0, 0, UInt8(slice.count >> 8), UInt8(slice.count & 255)] + slice
        let iv = try CipherIV(Array(repeating: 7, count: 16))
        excerpt.samples = [
            .init(
                range: 0..<excerpt.bytes.count,
                subsamples: [Subsample(clear: clear, protected: excerpt.bytes.count - clear)],
                iv: iv
            )
        ]
        var batch = SampleBatch()
        batch.append(offset: 0, size: excerpt.bytes.count, subsamples: excerpt.samples[0].subsamples, iv: iv)
        let cipher = try SampleCipher(.cbcs(EncryptionPattern.video), .encrypt, key: key)
        try cipher.process(batch, in: &excerpt.bytes)
        func judge(_ key: SecretBytes) async -> ExcerptJudge.Result? {
            var judge = ExcerptJudge(excerpt: excerpt, decoder: nil)
            return await judge.judge(key: key, delivered: nil, vectors: [], candidates: [])
        }
        #expect(await judge(key)?.verdict == .opened)
        let other = await judge(SecretBytes(copying: Array(2...17) as [UInt8]))
        #expect(other?.verdict == .wrongKey)
    }
}
