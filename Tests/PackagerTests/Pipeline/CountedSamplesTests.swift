import DRMSignaling
import FPSCrypto
import Foundation
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

@Suite("Samples encrypted with cenc")
struct CountedSamplesTests {
    private static func job(_ folder: ScratchFolder, ivSize: Int = 8) throws -> PackagingJob {
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path, scheme: .cenc)
        job.systems = [.common, .widevine]
        job.manifests = [.hls, .dash]
        job.ivSize = ivSize
        return job
    }

    private static func rendition(_ folder: ScratchFolder, _ name: String) throws -> [UInt8] {
        let numbers = 1...folder.files(name).filter { $0.hasSuffix(".m4s") }.count
        return try folder.bytes(name + "/init.mp4") + numbers.flatMap { try folder.bytes("\(name)/\($0).m4s") }
    }

    /// A protected sample with its metadata in the file.
    private struct Counted {
        var clear: [UInt8]
        var counters: [[UInt8]]
        var subsamples: [SampleEncryptionBox.Subsample]
        var ivSize: Int
    }

    /// Decrypts counter mode block by block, implemented from ISO/IEC 23001-7 without `SampleEncryption`.
    private static func counted(_ file: [UInt8], _ kind: FourCC) throws -> [Counted] {
        let movie = try MovieFile(reading: file.span.bytes)
        let track = try #require(movie.movie.tracks.first { $0.kind == kind })
        var cursor = movie.samples(of: [track.id])
        var list: [Counted] = []
        while let sample = try cursor.next(file.span.bytes) {
            let protection = try #require(sample.protection)
            #expect(protection.scheme == "cenc")
            #expect(protection.cryptByteBlock == 0 && protection.skipByteBlock == 0)
            var found = Counted(
                clear: Array(file[sample.range]),
                counters: [],
                subsamples: protection.subsamples.entries(in: file.span.bytes).map { $0 },
                ivSize: protection.iv.count
            )
            var counter = protection.iv.bytes + [UInt8](repeating: 0, count: 16 - protection.iv.count)
            var (mask, position) = ([UInt8](), 0)
            let parts =
                found.subsamples.isEmpty
                ? [(0, found.clear.count)] : found.subsamples.map { (Int($0.clear), Int($0.protected)) }
            for (clear, protected) in parts {
                position += clear
                for place in position..<position + protected {
                    if mask.isEmpty {
                        mask = try AES128.encryptBlock(SecretBytes(copying: counter), key: PipelineFixture.key)
                        found.counters.append(counter)
                        for digit in (8..<16).reversed() {
                            counter[digit] &+= 1
                            if counter[digit] != 0 { break }
                        }
                    }
                    found.clear[place] ^= mask.removeFirst()
                }
                position += protected
            }
            list.append(found)
        }
        return list
    }

    @Test("decrypt to those of the input, and no counter block is used twice with the key", arguments: [8, 16])
    func decrypted(ivSize: Int) throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder, ivSize: ivSize))
        let input = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try PipelineFixture.path("film.mp4"))))
        var seen: Set<[UInt8]> = []
        var count = 0
        for (name, kind) in [("video-64", "vide"), ("audio", "soun")] as [(String, FourCC)] {
            let found = try Self.counted(try Self.rendition(folder, name), kind)
            let expected = try samples(of: input, kind: kind).map(\.bytes)
            let isSame = found.map(\.clear) == expected
            #expect(isSame, "\(name) decrypts to something else")
            let areSized = found.allSatisfy { $0.ivSize == ivSize }
            #expect(areSized)
            for sample in found {
                count += sample.counters.count
                seen.formUnion(sample.counters)
            }
        }
        #expect(count > 100)
        #expect(seen.count == count, "a counter block is used twice")
    }

    @Test("protect whole blocks of slices, and audio to the last byte")
    func subsamples() throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder))
        let video = try Self.counted(try Self.rendition(folder, "video-64"), "vide")
        let areWhole = video.allSatisfy { $0.subsamples.allSatisfy { $0.protected % 16 == 0 } }
        #expect(areWhole)
        let hasProtected = video.contains { $0.subsamples.contains { $0.protected > 0 } }
        #expect(hasProtected)
        let audio = try Self.counted(try Self.rendition(folder, "audio"), "soun")
        let haveNone = audio.allSatisfy(\.subsamples.isEmpty)
        #expect(haveNone)
    }

    @Test("have init segments with tenc of version 0, and the verifier reports nothing")
    func initSegments() throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder))
        for name in ["video-64", "audio"] {
            let header = try folder.bytes(name + "/init.mp4")
            let movie = try movieFile(header).movie
            let protection = try #require(movie.tracks.first?.descriptions.first?.protections.first)
            #expect(protection.schemeType == "cenc")
            #expect(protection.trackEncryption?.perSampleIVSize == 8)
            #expect(protection.trackEncryption?.constantIV == [])
            let place = try #require(header.indices.first { header[$0...].starts(with: "tenc".utf8) })
            #expect(header[place + 4] == 0, "tenc must have version 0")
            #expect(verifierFindings([header, try folder.bytes(name + "/1.m4s")]).isEmpty)
        }
    }

    @Test("have IVs that are far apart in tracks with the same key")
    func tracks() throws {
        let iv = try CipherIV([UInt8](repeating: 0xFF, count: 8))
        #expect(iv.start(ofTrack: 0) == iv)
        #expect(iv.start(ofTrack: 1).bytes == [0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        let long = try CipherIV([UInt8](0..<16))
        #expect(long.start(ofTrack: 0x0102).bytes == [1, 3] + [UInt8](2..<16))
    }

    @Test("are rejected for FairPlay, with the scheme to use")
    func fairPlay() throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder)
        job.systems = [.widevine, .fairPlay]
        let system = #expect(throws: JobFailure.self) { try job.validate() }
        #expect(system?.option == "systems" && system?.reason.contains("cbcs") == true)
        job.systems = [.widevine]
        job.ivSize = 12
        let size = #expect(throws: JobFailure.self) { try job.validate() }
        #expect(size?.option == "iv-size")
        job.ivSize = 8
        job.container = .ts
        job.manifests = [.hls]
        let container = #expect(throws: JobFailure.self) { try job.validate() }
        #expect(container?.option == "scheme")
    }
}
