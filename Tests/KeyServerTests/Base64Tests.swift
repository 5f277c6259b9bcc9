import Testing

@testable import KeyServer

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 are read with and without padding, and written",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text.utf8) == Array(plain.utf8))
        #expect(Base64.decode(text.utf8.filter { $0 != UInt8(ascii: "=") }) == Array(plain.utf8))
    }

    @Test("Every byte at every place survives")
    func everyByte() {
        for count in 0...6 {
            for value in 0...255 {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value + 37 * $0) }
                #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
            }
        }
    }

    @Test("Both alphabets are read, though not mixed")
    func alphabets() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFF]
        #expect(Base64.decode("++///w==".utf8) == bytes)
        #expect(Base64.decode("--___w==".utf8) == bytes)
        #expect(Base64.decode("--___w".utf8) == bytes)
        #expect(Base64.decode("+-///w==".utf8) == nil)
    }

    @Test("Lines may be wrapped, and end with a line break")
    func lineBreaks() {
        #expect(Base64.decode("Zm9v\r\nYmFy\n".utf8) == Array("foobar".utf8))
        #expect(Base64.decode("Z\nm9vYg=\n=\n".utf8) == Array("foob".utf8))
    }

    @Test("A space is a plus only where a form was decoded")
    func spaces() {
        #expect(Base64.decode("  ///w==".utf8, spaceIsPlus: true) == [0xFB, 0xEF, 0xFF, 0xFF])
        #expect(Base64.decode("  ///w==".utf8) == nil)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "Z", "Zg=", "Zg===", "Z===", "=", "==", "====", "Zg==Zg==", "Zm9v=", "Zm9v==", "Zm9v====", "Zh==", "Zm9=",
            "Zm9 v", "Zm9\tv", "Zm9v\u{0}", "Zm9*", "Zm9é", "\u{FEFF}Zm9v", "Zg%3D%3D", "data:;base64,Zm9v",
        ]
    )
    func refused(_ text: String) { #expect(Base64.decode(text.utf8) == nil) }
}
