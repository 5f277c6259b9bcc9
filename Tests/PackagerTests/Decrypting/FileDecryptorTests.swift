import FPSCrypto
import FileWriting
import Foundation
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Decryption of single files, and the replacement of output files.
@Suite("Decrypting files")
struct FileDecryptorTests {
    private static let iv = TestKeys.bytes("0f0e0d0c0b0a09080706050403020100")
    private let folder: DecryptingFolder

    init() throws { folder = try DecryptingFolder() }

    private func audioKey() throws -> DecryptionKeys {
        try TestKeys.keys([(TestKeys.audioID, TestKeys.audio)], iv: Self.iv)
    }

    /// Returns the elementary stream in a transport stream.
    private func elementaryStream(_ name: String) throws -> [UInt8] {
        var demuxer = TransportDemuxer()
        var bytes: [UInt8] = []
        let file = try DecryptingFixture.bytes(name)
        try demuxer.feed(file.span.bytes) { bytes += $0.payload }
        try demuxer.finish { bytes += $0.payload }
        return bytes
    }

    @Test(
        "Packed audio: frames are those of the clear stream, and the set-up is gone",
        arguments: ["aac", "ac3", "eac3"]
    )
    func packedAudio(codec: String) throws {
        let name = "sample-aes-packed-1.\(codec)"
        let input = try DecryptingFixture.url(name).path
        let tracks = try FileDecryptor(keys: audioKey()).decrypt(input, to: folder.path("out"))
        let output = try folder.content("out")
        let encrypted = try DecryptingFixture.bytes(name)
        let clear = try elementaryStream("clear-\(codec)-1.ts")
        #expect(output.count == encrypted.count)
        #expect(output.suffix(clear.count) == clear[...])
        #expect(encrypted.suffix(clear.count) != clear[...])
        #expect(tracks.first?.scheme == "SAMPLE-AES")
        let place = try #require(try LocatedID3Tag(output.span.bytes, at: 0))
        #expect(place.range.count == output.count - clear.count)
        let before = try #require(try LocatedID3Tag(encrypted.span.bytes, at: 0)).tag
        // The timestamp is preserved.
        let time = try before.timestamp()
        #expect(time != nil)
        #expect(try place.tag.timestamp() == time)
        #expect(place.tag.frames.count == 1)
        #expect(before.frames.count == 2)
    }

    @Test("Each type of file is detected by its first bytes")
    func kinds() throws {
        func kind(_ bytes: [UInt8]) -> MediaFileKind { MediaFileKind(bytes.span.bytes) }
        #expect(kind(try DecryptingFixture.bytes("cbcs-video.mp4")) == .mp4)
        #expect(kind(try DecryptingFixture.bytes("segments-1.m4s")) == .mp4)
        #expect(kind(try DecryptingFixture.bytes("clear-video-1.ts")) == .transportStream)
        #expect(kind(try DecryptingFixture.bytes("sample-aes-packed-1.eac3")) == .packedAudio)
        #expect(kind(Array("WEBVTT\n".utf8)) == .webVTT)
        #expect(kind([0xEF, 0xBB, 0xBF] + Array("#EXTM3U\n".utf8)) == .playlist)
        #expect(kind([0xFF, 0xF1, 0x50, 0x80, 0x01, 0x7F, 0xFC]) == .packedAudio)
        for count in 0..<16 { #expect(kind([UInt8](repeating: 0x11, count: count)) == .other) }
    }

    @Test("A segment with AES-128", arguments: [0, 1, 15, 16, 17, 1_100_000])
    func wholeSegment(size: Int) throws {
        var clear = [UInt8](repeating: 0xA5, count: size)
        for index in stride(from: 0, to: size, by: 997) { clear[index] = UInt8(truncatingIfNeeded: index) }
        let key = SecretBytes(copying: TestKeys.audio)
        var stream = try SegmentStreamCipher(.encrypt, key: key, iv: try CipherIV(Self.iv))
        var segment: [UInt8] = []
        try stream.append(clear.span.bytes, to: &segment)
        try stream.finish(to: &segment)
        try folder.write("in", segment)
        let tracks = try FileDecryptor(keys: audioKey()).decrypt(folder.path("in"), to: folder.path("out"))
        #expect(try folder.content("out") == clear)
        #expect(tracks.map(\.scheme) == ["AES-128"])
    }

    @Test("A wrong key for a segment is detected before anything is written")
    func wrongKey() throws {
        var segments = [[UInt8](repeating: 3, count: 1000)]
        let key = SecretBytes(copying: TestKeys.video)
        try SegmentCipher(key: key).encrypt(&segments, ivs: [try CipherIV(Self.iv)])
        try folder.write("in", segments[0])
        #expect {
            _ = try FileDecryptor(keys: audioKey()).decrypt(folder.path("in"), to: folder.path("out"))
        } throws: {
            ($0 as? DecryptionError)?.code == .damaged
        }
        #expect(try folder.files() == ["in"])
    }

    @Test("A failure leaves no new file and preserves an existing one")
    func failure() throws {
        try folder.write("in", try DecryptingFixture.bytes("cbcs-video.mp4").dropLast(100))
        try folder.write("out", Array("precious".utf8))
        #expect(throws: (any Error).self) {
            _ = try FileDecryptor(keys: TestKeys.all()).decrypt(folder.path("in"), to: folder.path("out"))
        }
        #expect(try folder.files() == ["in", "out"])
        #expect(try folder.content("out") == Array("precious".utf8))
    }

    @Test("The input can be replaced, a symbolic link is followed, and a folder is not replaced")
    func places() throws {
        let file = try DecryptingFixture.bytes("cbcs-video.mp4")
        try folder.write("in", file)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"),
            withDestinationPath: folder.path("in")
        )
        _ = try FileDecryptor(keys: TestKeys.all()).decrypt(folder.path("in"), to: folder.path("link"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == folder.path("in"))
        #expect(
            try samples(folder.content("in"), of: "vide") == samples(DecryptingFixture.bytes("clear.mp4"), of: "vide")
        )
        #expect(throws: FileError.self) {
            _ = try FileDecryptor(keys: TestKeys.all()).decrypt(folder.path("in"), to: folder.url.path)
        }
        #expect(throws: FileError.self) {
            _ = try FileDecryptor(keys: TestKeys.all()).decrypt(folder.path("nothing"), to: folder.path("out"))
        }
    }

    @Test("Media without a key ID require exactly one key")
    func severalKeys() throws {
        let input = try DecryptingFixture.url("sample-aes-aac-1.ts").path
        #expect {
            _ = try FileDecryptor(keys: TestKeys.all()).decrypt(input, to: folder.path("out"))
        } throws: {
            ($0 as? DecryptionError)?.code == .missingKey
        }
    }
}
