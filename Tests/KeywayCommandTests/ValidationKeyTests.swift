import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import MediaFormats
import StreamValidation
import Testing
import TextCoding
import ToolSupport

@testable import keyway

@Suite("Keys of keyway validate")
struct ValidationKeyTests {
    private static let digits = "5f1d0b6c9a3e47d8812f60c4be95a7d3"
    private static let other = "c2947e1805b6fd3a6e90d1f7483ba25c"

    private static func request(_ uri: String, keyIDs: [String] = []) -> ValidationKeyRequest {
        let ids = keyIDs.compactMap { Hexadecimal.decode($0) }.compactMap { KeyID($0) }
        return ValidationKeyRequest(tag: .fairPlay(uri: uri), playlist: "", keyIDs: ids)
    }

    @Test("are found by URI, by the key ID in the URI, and by the key ID of the media")
    func lookup() throws {
        let text = """
            # two keys
            skd://film?a=b=\(Self.digits):\(Self.other)

              11223344-5566-7788-99aa-bbccddeeff00:\(Self.other)
            """
        let keys = try GivenKeys(parsing: Array(text.utf8), name: "--key-file")
        let located = try #require(keys.key(for: Self.request("skd://film?a=b")))
        #expect(located.key.reveal().first == 0x5F && located.iv != nil)
        let id = "112233445566778899aabbccddeeff00"
        for request in [Self.request("skd://\(id)"), Self.request("skd://other", keyIDs: [id])] {
            #expect(keys.key(for: request)?.key.reveal().first == 0xC2)
        }
        // A single key is that of media without key IDs, and of no other.
        #expect(keys.key(for: Self.request("skd://other")) != nil)
        #expect(keys.key(for: Self.request("skd://other", keyIDs: [Self.digits])) == nil)
    }

    @Test(
        "A malformed line is named by its number, and not shown",
        arguments: ["nothing", "skd://film=12", ":", "a:b:c:d"]
    )
    func malformed(line: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try GivenKeys(parsing: Array("\(Self.digits):\(Self.digits)\n\(line)".utf8), name: "--key-file")
        }
        #expect(failure?.what.hasPrefix("--key-file, line 2:") == true)
        #expect(failure?.description.contains(Self.digits) == false)
    }

    @Test("The messages of ffmpeg about entropy-coded data are counted")
    func messages() {
        let errors = """
            [h264 @ 0x1] top block unavailable for requested intra mode -1
            [h264 @ 0x1] error while decoding MB 1 0, bytestream 3691
            [h264 @ 0x1] number of reference frames exceeds max
            """
        let result = FFmpegDecoder.result(output: "#tb 0: 1/25\n0, 0, 0\n0, 1, 1\n", errors: errors, .h264)
        #expect(result == ExternalDecoderResult(frameCount: 2, errorCount: 2, otherErrorCount: 1))
        let aac = FFmpegDecoder.result(output: "", errors: "[aac @ 0x1] Number of bands (61) exceeds limit (44).", .aac)
        #expect(aac == ExternalDecoderResult(frameCount: 0, errorCount: 1))
    }

    @Test("The summary of ffmpeg's loudness filter is read, and not the lines of single frames")
    func loudness() {
        let frame = "[Parsed_ebur128_0 @ 0x1] t: 1.0 TARGET:-23 LUFS M: -20.1 S:-120.7 I: -20.1 LUFS LRA: 0.0 LU\n"
        func summary(_ loudness: String, _ peak: String) -> String {
            frame + """
                [Parsed_ebur128_0 @ 0x1] Summary:

                  Integrated loudness:
                    I:         \(loudness) LUFS
                    Threshold: -31.1 LUFS

                  Loudness range:
                    LRA:         0.0 LU

                  True peak:
                    Peak:      \(peak) dBFS
                """
        }
        let result = FFmpegLoudnessMeter.result(errors: summary("-21.1", "0.3"))
        #expect(result == LoudnessMeterResult(integrated: -21.1, truePeak: 0.3))
        let silence = FFmpegLoudnessMeter.result(errors: summary("-70.0", "-inf"))
        #expect(silence == LoudnessMeterResult(integrated: nil, truePeak: nil))
        let whole = summary("-21.1", "0.3")
        for count in 0..<whole.count { _ = FFmpegLoudnessMeter.result(errors: String(whole.prefix(count))) }
        #expect(FFmpegLoudnessMeter.result(errors: frame) == nil)
    }

    @Test("A meter that reads nothing, and one that does not exist, end without a result")
    func meters() async {
        for path in ["/bin/true", "/nonexistent/ffmpeg", nil] {
            let parts = Parts()
            let result = await FFmpegLoudnessMeter(path: path).measure(.aac) { await parts.next() }
            #expect(result == nil)
            // The stream is not read to its end.
            #expect(await parts.count < Parts.limit)
        }
    }

    /// A long stream of zeros.
    private actor Parts {
        static let limit = 1000
        private(set) var count = 0

        func next() -> [UInt8]? {
            count += 1
            return count > Self.limit ? nil : [UInt8](repeating: 0, count: 1 << 20)
        }
    }

    @Test("A decoder that reads nothing, and one that does not exist, end without a result or with none")
    func decoders() async {
        // More than a pipe holds.
        let stream = [UInt8](repeating: 0, count: 1 << 20)
        let nothing = await FFmpegDecoder(path: "/bin/true").decode(stream, as: .h264)
        #expect(nothing == ExternalDecoderResult(frameCount: 0, errorCount: 0))
        #expect(await FFmpegDecoder(path: "/nonexistent/ffmpeg").decode(stream, as: .h264) == nil)
    }
}
