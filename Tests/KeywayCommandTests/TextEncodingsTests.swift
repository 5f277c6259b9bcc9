import FPSCrypto
import Foundation
import Testing
import ToolSupport

@testable import keyway

/// Tests of text encodings of binary data.
@Suite("Text encodings")
struct TextEncodingsTests {
    private func base64(_ text: String) -> [UInt8]? { TextEncodings.base64(text.utf8) }
    private func hexadecimal(_ text: String) -> [UInt8]? { HexArgument.decode(text.utf8) }

    @Test("Base64 of every length is decoded")
    func lengths() {
        var random = SeededRandom(seed: 3)
        for count in 1..<100 {
            let bytes = random.bytes(count)
            #expect(base64(Data(bytes).base64EncodedString()) == bytes)
        }
    }

    @Test("Text that is not base64 is rejected")
    func notBase64() {
        for text in ["", "=", "A", "AAAAA", "AB*D", "AB=D", "ÄÄÄÄ"] { #expect(base64(text) == nil, "\(text)") }
        #expect(base64(" Q U\nI = ") == Array("AB".utf8))
    }

    @Test("Hexadecimal, in upper and lower case and with spaces")
    func hexadecimals() {
        #expect(hexadecimal("00fF 1a\n") == [0, 0xff, 0x1a])
        #expect(hexadecimal("0x0102") == [1, 2])
        for text in ["", "0", "0x", "0g", "+1", "１２"] { #expect(hexadecimal(text) == nil, "\(text)") }
    }

    @Test("Form escapes")
    func forms() {
        #expect(TextEncodings.formDecoded("a%2Bb%2f c%".utf8) == Array("a+b/+c%".utf8))
        #expect(TextEncodings.formDecoded("%zz%4".utf8) == Array("%zz%4".utf8))
    }
}
