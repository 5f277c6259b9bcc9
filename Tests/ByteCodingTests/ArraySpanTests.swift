import ByteCoding
import Testing

@Suite("Spans of arrays")
struct ArraySpanTests {
    @Test("A span has the array's elements, in place", arguments: [0, 1, 7, 4096])
    func spans(count: Int) {
        let array = (0..<count).map { UInt16(truncatingIfNeeded: $0) }
        let span = array.span
        #expect(span.count == count)
        #expect(span.bytes.byteCount == count * 2)
        #expect(span.indices.allSatisfy { span[$0] == array[$0] })
        let isInPlace = span.withUnsafeBufferPointer { spanned in
            array.withUnsafeBufferPointer { $0.baseAddress == spanned.baseAddress }
        }
        #expect(isInPlace)
    }

    @Test("A mutable span changes its array, but not a copy of the array")
    func changes() {
        let original: [UInt8] = [1, 2, 3]
        var array = original
        var span = array.mutableSpan
        for index in span.indices { span[index] *= 2 }
        #expect(array == [2, 4, 6])
        #expect(original == [1, 2, 3])
    }
}

@Suite("Validated text")
struct ValidatedTextTests {
    /// The Unicode Standard, tables 3-7 and 3-8, and RFC 3629, section 3.
    @Test(
        "UTF-8 that is not valid is no text",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x61, 0xFE, 0x62],
        ] as [[UInt8]]
    )
    func refusesUTF8(bytes: [UInt8]) { #expect(String(validating: bytes, as: UTF8.self) == nil) }

    @Test("Valid UTF-8 is decoded, including U+FFFD, zeros and combining characters")
    func readsUTF8() {
        for text in ["", "plain", "\u{FFFD}", "a\u{0}b", "e\u{301}", "\u{10FFFF}", "\r\n"] {
            let read = String(validating: Array(text.utf8), as: UTF8.self)
            #expect(read.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test("UTF-16 with an unpaired surrogate is invalid; pairs are valid")
    func readsUTF16() {
        #expect(String(validating: [0x61, 0xD800] as [UInt16], as: UTF16.self) == nil)
        #expect(String(validating: [0xDC00, 0xD800] as [UInt16], as: UTF16.self) == nil)
        #expect(String(validating: [0xD83D, 0xDE00, 0xFFFD] as [UInt16], as: UTF16.self) == "\u{1F600}\u{FFFD}")
    }
}
