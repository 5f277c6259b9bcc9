import MediaDecryption
import MediaFormats
import Testing

@Suite("Packed audio without its ID3 tags")
struct PackedAudioFramesTests {
    private static let tag = ID3Tag(timestamp: 90_000).bytes

    @Test(
        "has only the frames, with their format",
        arguments: [("aac", PackedAudio.Format.aac), ("ac3", .ac3), ("eac3", .enhancedAC3)]
    )
    func formats(name: String, format: PackedAudio.Format) throws {
        let segment = try DecryptingFixture.bytes("sample-aes-packed-1.\(name)")
        let first = try #require(PackedAudio(segment))
        #expect(first.format == format)
        #expect(!first.frames.isEmpty && segment.suffix(first.frames.count) == first.frames[...])
        #expect(PackedAudio(first.frames)?.frames == first.frames)
        // Tags between frames, and several of them.
        let joined = Self.tag + Self.tag + first.frames + Self.tag + first.frames
        #expect(PackedAudio(joined)?.frames == first.frames + first.frames)
    }

    @Test("is MP3 too")
    func mp3() {
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x49, count: 413)
        let audio = PackedAudio(Self.tag + frame + Self.tag + frame)
        #expect(audio?.format == .mp3)
        #expect(audio?.frames == frame + frame)
    }

    @Test("keeps damaged bytes, and ignores other media")
    func others() throws {
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 7, count: 413)
        #expect(PackedAudio(Self.tag + frame + [1, 2, 3])?.frames == frame + [1, 2, 3])
        #expect(PackedAudio(Self.tag + frame.dropLast(5))?.frames == Array(frame.dropLast(5)))
        #expect(PackedAudio(Array(Self.tag.dropLast()))?.frames == [])
        #expect(PackedAudio([]) == nil)
        #expect(PackedAudio(try DecryptingFixture.bytes("clear-video-1.ts")) == nil)
        #expect(PackedAudio(try DecryptingFixture.bytes("segments-1.m4s")) == nil)
    }
}
