import ByteCoding
import DRMSignaling
import Testing

@Suite("Widevine header")
struct WidevineHeaderTests {
    /// From Shaka Packager 3.8.0 (`--protection_systems Widevine`), for the schemes cbcs and cenc.
    static let cbcs = hex("1210a0a1a2a3a4a5a6a7a8a9aaabacadaeaf 48f3c6899b06")
    static let cenc = hex("1210a0a1a2a3a4a5a6a7a8a9aaabacadaeaf 48e3dc959b06")
    /// Composed manually from the field numbers: algorithm (1), two key IDs, provider, content ID, period 300, scheme.
    static let full = hex(
        """
        1210 00112233445566778899aabbccddeeff 1210 ffeeddccbbaa99887766554433221100
        1a0477696465 2203313233 38ac02 48f3c6899b06 0801
        """
    )

    private func error(_ bytes: [UInt8]) -> ParseError? {
        do {
            _ = try WidevineHeader(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("is identical to that of another packager, for each scheme")
    func published() throws {
        let keyID = try ContentKeyID(parsing: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        #expect(WidevineHeader(keyIDs: [keyID], scheme: .cbcs).bytes == Self.cbcs)
        #expect(WidevineHeader(keyIDs: [keyID], scheme: .cenc).bytes == Self.cenc)
        #expect(try WidevineHeader(Self.cbcs) == WidevineHeader(keyIDs: [keyID], scheme: .cbcs))
    }

    @Test("has all fields, and preserves unknown ones")
    func fields() throws {
        let header = try WidevineHeader(Self.full)
        #expect(header.keyIDs == [firstID, secondID])
        #expect(header.provider == "wide")
        #expect(header.contentID == Array("123".utf8))
        #expect(header.cryptoPeriodIndex == 300)
        #expect(header.scheme == .cbcs)
        #expect(header.bytes == Self.full)
        let others = hex("29 0102030405060708 7d 01020304 6a 00")
        #expect(try WidevineHeader(others).bytes == others)
        #expect(try WidevineHeader([]) == WidevineHeader(keyIDs: [], scheme: nil))
    }

    @Test("Every truncation within a field is rejected")
    func truncation() {
        let ends: Set<Int> = [0, 18, 36, 42, 47, 50, 56, 58]
        for count in 0...Self.full.count {
            #expect((error(Array(Self.full[..<count])) == nil) == ends.contains(count), "\(count) bytes")
        }
    }

    @Test("Invalid headers are rejected")
    func damage() {
        let wrong = [
            "120f a0a1a2a3a4a5a6a7a8a9aaabacadae",  // a key ID of 15 bytes
            "1000", "1d00000000", "2001", "3a00", "4a00",  // known fields of another wire type
            "00", "02 00",  // field number 0
            "13", "14", "16", "17",  // groups, and wire types that there are not
            "1a01ff",  // a provider that is not UTF-8
            "4880808080 10",  // a scheme of more than 32 bits
            "08ffffffffffffffffff02", "08ffffffffffffffffffff01",  // numbers of more than 64 bits
            "12ffffffffffffffffff01", "12ffffffff0f",  // sizes from an enemy
            "f8ffffffff7f00",  // a field number above 2^29 - 1
        ]
        for text in wrong { #expect(error(hex(text)) != nil, "\(text)") }
    }
}
