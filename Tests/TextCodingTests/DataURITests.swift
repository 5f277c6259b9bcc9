import Testing

@testable import TextCoding

@Suite("data: URIs")
struct DataURITests {
    @Test(
        "contain base64 or percent-encoded bytes",
        arguments: [
            ("data:text/plain;base64,AAECAw==", [0, 1, 2, 3]), ("data:;base64,AAECAw", [0, 1, 2, 3]),
            ("DATA:application/octet-stream;BASE64,-_8=", [0xFB, 0xFF]), ("data:;base64,%2B%2F8%3D", [0xFB, 0xFF]),
            ("data:,%00a%ff", [0, 0x61, 0xFF]), ("data:text/plain;charset=utf-8,a,b#fragment", Array("a,b".utf8)),
            ("data:,", []), ("data:x;base64y,AAAA", Array("AAAA".utf8)),
        ] as [(String, [UInt8])]
    )
    func parses(uri: String, bytes: [UInt8]) {
        #expect(DataURI(uri)?.bytes == bytes)
    }

    @Test(
        "are rejected if they are malformed",
        arguments: [
            "data:", "data:text/plain;base64", "data:;base64,A", "data:;base64,AA=A", "data:,%0", "data:,%zz",
            "datum:,a",
            "https://keys.test/data:,a", "",
        ]
    )
    func rejects(uri: String) {
        #expect(DataURI(uri) == nil)
    }

    @Test("are recognized by their scheme")
    func recognizes() {
        #expect(DataURI.isDataURI("data:") && DataURI.isDataURI("dAtA:,1"))
        #expect(!DataURI.isDataURI("data") && !DataURI.isDataURI("skd://data:") && !DataURI.isDataURI("\u{04}ata:"))
    }
}
