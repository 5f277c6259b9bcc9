import Testing
import TextCoding

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 are decoded with and without padding, and encoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text) == Array(plain.utf8))
        #expect(Base64.decode(text.utf8.filter { $0 != UInt8(ascii: "=") }, .missingPadding) == Array(plain.utf8))
    }

    @Test("Every byte round-trips at every position")
    func everyByte() {
        for count in 0...6 {
            for value in 0...255 {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value + 37 * $0) }
                #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
            }
        }
    }

    @Test("Each alphabet is accepted if the options allow it, but not both in one text")
    func alphabets() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFF]
        #expect(Base64.decode("++///w==", .lenient) == bytes)
        #expect(Base64.decode("--___w==", .lenient) == bytes)
        #expect(Base64.decode("--___w", .lenient) == bytes)
        #expect(Base64.decode("+-///w==", .lenient) == nil)
        #expect(Base64.decode("++///w==") == bytes)
        #expect(Base64.decode("--___w==") == nil)
        #expect(Base64.decode("--___w==", .urlSafeAlphabet) == bytes)
        #expect(Base64.decode("++///w==", .urlSafeAlphabet) == nil)
        #expect(Base64.encodeURLSafe(bytes) == "--___w")
    }

    @Test("JSON Web Tokens have no padding")
    func unpadded() {
        #expect(Base64.decode("Zg", .base64url) == Array("f".utf8))
        #expect(Base64.decode("Zm9v", .base64url) == Array("foo".utf8))
        for text in ["Zg==", "Zm8=", "Zh", "Z", "++//", "Zg\n"] {
            #expect(Base64.decode(text, .base64url) == nil, "\(text)")
        }
        for count in 0..<10 {
            let bytes = (0..<count).map { UInt8(250 - $0) }
            #expect(Base64.decode(Base64.encodeURLSafe(bytes), .base64url) == bytes)
        }
    }

    @Test("Line breaks and white space are accepted only with their options")
    func whiteSpace() {
        #expect(Base64.decode("Zm9v\r\nYmFy\n", .lineBreaks) == Array("foobar".utf8))
        #expect(Base64.decode("Z\nm9vYg=\n=\n", .lineBreaks) == Array("foob".utf8))
        #expect(Base64.decode("Zm9v\n") == nil)
        #expect(Base64.decode("Zm9v YmFy", .lineBreaks) == nil)
        #expect(Base64.decode(" Z\tm9 v\r\nYmFy ", .whitespace) == Array("foobar".utf8))
    }

    @Test("A space is decoded as a plus only with its option")
    func spaces() {
        #expect(Base64.decode("  ///w==", .spaceIsPlus) == [0xFB, 0xEF, 0xFF, 0xFF])
        #expect(Base64.decode("  ///w==", .lenient) == nil)
    }

    @Test(
        "Other texts are refused with any options",
        arguments: [
            "Z", "Zg=", "Zg===", "Z===", "=", "==", "====", "Zg==Zg==", "Zm9v=", "Zm9v==", "Zm9v====", "Zh==", "Zm9=",
            "Zm9 v", "Zm9\tv", "Zm9v\u{0}", "Zm9*", "Zm9é", "\u{FEFF}Zm9v", "Zg%3D%3D", "data:;base64,Zm9v",
        ]
    )
    func refused(_ text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64.decode(text, .lenient) == nil)
    }
}
