import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Valid forms of encrypted media that common packagers do not write.
@Suite("Decrypting rare forms")
struct RareFormTests {
    private static let iv = TestKeys.bytes("0f0e0d0c0b0a09080706050403020100")

    // MARK: cbcs with a constant IV of 8 bytes

    /// The cbcs clip with a constant IV of 8 bytes: its samples are encrypted again under this IV followed by zeros, and
    /// `tenc` contains 8 bytes.
    private func clipWithShortIV() throws -> [UInt8] {
        var file = try DecryptingFixture.bytes("cbcs-video.mp4")
        let original = file
        let short = Array(Self.iv.prefix(8))
        let movie = try MovieFile(reading: original.span.bytes)
        var cursor = movie.samples(of: [try #require(movie.movie.tracks.first).id])
        let key = SecretBytes(copying: TestKeys.video)
        let encrypt = try SampleCipher(
            .cbcsVideo,
            .encrypt,
            key: key,
            constantIV: try CipherIV(short + [UInt8](repeating: 0, count: 8))
        )
        let decrypt = try SampleCipher(.cbcsVideo, .decrypt, key: key)
        while let sample = try cursor.next(original.span.bytes) {
            let protection = try #require(sample.protection)
            let subsamples = protection.subsamples.entries(in: original.span.bytes).map {
                Subsample(clear: Int($0.clear), protected: Int($0.protected))
            }
            var batch = SampleBatch()
            batch.append(
                offset: sample.offset,
                size: sample.size,
                subsamples: subsamples,
                iv: try CipherIV(protection.iv.bytes)
            )
            try decrypt.process(batch, in: &file)
            batch.removeAll()
            batch.append(offset: sample.offset, size: sample.size, subsamples: subsamples)
            try encrypt.process(batch, in: &file)
        }
        // The constant IV is at the end of `tenc`, after its size.
        let type = try #require(file.firstRange(of: Array("tenc".utf8))).lowerBound
        let end = type - 4 + Int(file[type - 1])
        #expect(file[end - 17] == 16)
        file[end - 17] = 8
        file.replaceSubrange(end - 16..<end, with: short)
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsd", "encv", "sinf", "schi", "tenc"] {
            let place = try #require(file.firstRange(of: Array(name.utf8))).lowerBound - 4
            let size = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } - 8
            for index in 0..<4 { file[place + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * index)) }
        }
        return file
    }

    @Test("cbcs with a constant IV of 8 bytes, which is followed by zeros")
    func shortIV() throws {
        let file = try clipWithShortIV()
        let (output, tracks) = try decrypted(file, TestKeys.all())
        #expect(try samples(output, of: "vide") == samples(DecryptingFixture.bytes("clear.mp4"), of: "vide"))
        #expect(tracks.map(\.decrypted) == [30])
        // The same file in the inspection.
        let movie = try MP4Decryptor.movie(of: file.span.bytes)
        let summary = MP4TrackSummary(try #require(movie.tracks.first), in: file.span.bytes)
        #expect(summary.problem == nil)
        #expect(summary.encryption?.constantIVSize == 8)
        #expect(summary.encryption?.sampleCount == 30)
    }

    // MARK: I-frame playlists of transport streams

    private func key() throws -> DecryptionKey {
        DecryptionKey(key: SecretBytes(copying: TestKeys.video), iv: try CipherIV(Self.iv))
    }

    /// The range of the key frame at the start of a segment, after its tables, as Apple's tools list it.
    private func keyFrame(of segment: [UInt8]) throws -> Range<Int> {
        var starts: [Int] = []
        for offset in stride(from: 0, to: segment.count, by: 188) {
            let header = try TransportPacketHeader(segment.span.bytes, at: offset)
            if header.isUnitStart, let payload = header.payload,
                segment[(offset + payload.lowerBound)...].starts(with: [0, 0, 1, 0xE0])
            {
                starts.append(offset)
            }
        }
        #expect(starts.count > 2 && starts[0] >= 376)
        return starts[0]..<starts[1]
    }

    /// The first access units of a transport stream.
    private func payloads(_ file: [UInt8]) throws -> [[UInt8]] {
        var list: [[UInt8]] = []
        var demuxer = TransportDemuxer()
        try demuxer.feed(file.span.bytes) { list.append($0.payload) }
        try demuxer.finish { list.append($0.payload) }
        return list
    }

    @Test(
        "An I-frame playlist of a transport stream, whose segments are byte ranges without tables",
        arguments: [0, 1, 2]
    )
    func iFrames(form: Int) throws {
        let folder = try DecryptingFolder()
        let segment = try DecryptingFixture.bytes("sample-aes-video-1.ts")
        let range = try keyFrame(of: segment)
        let head =
            "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-I-FRAMES-ONLY\n"
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://video\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        var (map, bytes, frame) = ("", segment, range)
        switch form {
        // The tables are before the range in its file.
        case 0: break
        // The tables are in an init segment.
        case 1:
            map = "#EXT-X-MAP:URI=\"tables.ts\"\n"
            try folder.write("in/tables.ts", segment[..<range.lowerBound])
            bytes = Array(segment[range.lowerBound...])
            frame = 0..<range.count
        // There are no tables.
        default:
            bytes = Array(segment[range.lowerBound...])
            frame = 0..<range.count
        }
        try folder.write("in/video.ts", bytes)
        let segments = "#EXTINF:1,\n#EXT-X-BYTERANGE:\(frame.count)@\(frame.lowerBound)\nvideo.ts\n#EXT-X-ENDLIST\n"
        try folder.write("in/main.m3u8", (head + map + key + segments).utf8)
        let keys = try TestKeys.keys([(TestKeys.videoID, TestKeys.video)], iv: Self.iv)
        let report = try PresentationDecryptor(keys: keys).decrypt(folder.path("in/main.m3u8"), to: folder.path("out"))
        #expect(report.playlists.flatMap(\.tracks).map(\.decrypted) == [1])
        let output = try folder.content("out/video.ts")
        #expect(output.count == bytes.count)
        let picture = Array(output[frame])
        #expect(picture != Array(bytes[frame]))
        let tables = try DecryptingFixture.bytes("clear-video-1.ts").prefix(376)
        let clear = try payloads(DecryptingFixture.bytes("clear-video-1.ts"))[0]
        let isEqual = try payloads(Array(tables) + picture)[0] == clear
        #expect(isEqual)
    }

    @Test("I-frames of a stream with audio, of which a part is in the byte range")
    func multiplexed() throws {
        let segment = try DecryptingFixture.bytes("sample-aes-video-1.ts")
        let range = try keyFrame(of: segment)
        let audio = try DecryptingFixture.bytes("sample-aes-aac-1.ts")
        // The first packet of an audio frame on another PID, which ends in the middle of its PES packet.
        let start = try #require(
            stride(from: 0, to: audio.count, by: 188).first { offset in
                let header = try? TransportPacketHeader(audio.span.bytes, at: offset)
                return header?.payload.map { audio[(offset + $0.lowerBound)...].starts(with: [0, 0, 1, 0xC0]) } ?? false
            }
        )
        var packet = Array(audio[start..<start + 188])
        (packet[1], packet[2]) = (0x41, 0x99)
        var bytes = Array(segment[range])
        bytes.insert(contentsOf: packet, at: 188)
        var decryptor = RenditionDecryptor()
        var context = KeyContext()
        context.apply(KeyTag(method: .sampleAES, uri: "skd://video", keyFormat: .fairPlay))
        let keys = try TestKeys.keys([(TestKeys.videoID, TestKeys.video)], iv: Self.iv)
        let part = RenditionDecryptor.Segment(keys: context, mediaSequenceNumber: 0, name: "1.ts", isIFrame: true)
        let output = try decryptor.decrypt(bytes, part, keys: keys)
        #expect(Array(output[188..<376]) == packet)
        let clear = try DecryptingFixture.bytes("clear-video-1.ts")
        let isEqual = try payloads(Array(clear.prefix(376) + output[..<188] + output[376...]))[0] == payloads(clear)[0]
        #expect(isEqual)
    }

    @Test("Without tables, a segment of another playlist is an error: its audio would stay encrypted")
    func withoutTables() throws {
        let segment = try DecryptingFixture.bytes("sample-aes-video-1.ts")
        let range = try keyFrame(of: segment)
        #expect {
            _ = try decryptedAlone(Array(segment[range]))
        } throws: {
            "\($0)".contains("no program map table")
        }
    }

    private func decryptedAlone(_ bytes: [UInt8]) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: bytes.count)
        var span = output.mutableSpan
        var target = span.mutableBytes
        var decryptor = TransportStreamDecryptor()
        try decryptor.decrypt(bytes.span.bytes, key: key(), into: &target)
        return output
    }
}
