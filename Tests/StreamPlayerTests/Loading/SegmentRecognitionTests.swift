import Testing

@testable import StreamPlayer

@Suite("The recognition of segments for downloads")
struct SegmentRecognitionTests {
    @Test("names what is not media, and accepts any bytes of a segment that is encrypted as a whole")
    func mismatch() {
        let page = Array("<html>Log in</html>".utf8)
        let unknown = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) }
        #expect(SegmentRecognition.mismatch(page, isEncrypted: false) == "an HTML page")
        #expect(SegmentRecognition.mismatch(page, isEncrypted: true) == "an HTML page")
        #expect(SegmentRecognition.mismatch([], isEncrypted: true) == "an empty file")
        #expect(SegmentRecognition.mismatch(unknown, isEncrypted: false) == "data of an unknown format")
        #expect(SegmentRecognition.mismatch(unknown, isEncrypted: true) == nil)
        #expect(SegmentRecognition.mismatch(StageMedia.bytes("text"), isEncrypted: false) == nil)
    }
}
