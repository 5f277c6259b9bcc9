import MediaDecryption
import Testing

@Suite("The recognition of media by its first bytes")
struct SegmentContentTests {
    @Test(
        "accepts media",
        arguments: [
            "clear.mp4", "segments-1.m4s", "clear-video-1.ts", "sample-aes-packed-1.aac", "sample-aes-packed-1.ac3",
            "sample-aes-packed-1.eac3",
        ]
    )
    func media(name: String) throws {
        let bytes = try DecryptingFixture.bytes(name)
        #expect(SegmentContent.mismatch(bytes.span.bytes) == nil)
        let beginning = Array(bytes.prefix(SegmentContent.sufficientCount))
        #expect(SegmentContent.mismatch(beginning.span.bytes) == nil)
        #expect(SegmentContent.signature(beginning.span.bytes) == nil)
    }

    @Test("accepts MP3 and WebVTT")
    func text() {
        // 128 kbit/s, 44.1 kHz: frames of 417 bytes.
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
        let audio = frame + frame
        #expect(SegmentContent.mismatch(audio.span.bytes) == nil)
        let damaged = frame + [1] + frame
        #expect(SegmentContent.mismatch(damaged.span.bytes) != nil)
        let subtitles = Array("\u{FEFF}WEBVTT\n".utf8)
        #expect(SegmentContent.mismatch(subtitles.span.bytes) == nil)
    }

    @Test(
        "names other content",
        arguments: [
            ("<html>", "an HTML page"), ("<head></head><HTML>", "an HTML page"),
            ("<?xml?><MPD/>", "an XML or HTML document"),
            ("[1]", "a JSON document"), ("Not found", "text"), ("Größe", "text"), ("", "an empty file"),
            ("PK\u{03}\u{04}", "a ZIP archive"), ("%PDF-1.7", "a PDF document"), ("#EXTM3U", "an HLS playlist"),
        ]
    )
    func others(text: String, found: String) {
        let bytes = Array(text.utf8)
        #expect(SegmentContent.mismatch(bytes.span.bytes) == found)
        #expect(SegmentContent.signature(bytes.span.bytes) == found)
    }

    @Test("has no signature for encrypted bytes")
    func encrypted() {
        let bytes = (0..<320).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) }
        #expect(SegmentContent.signature(bytes.span.bytes) == nil)
        #expect(SegmentContent.mismatch(bytes.span.bytes) == "data of an unknown format")
    }
}
