import ByteCoding
import DRMSignaling
import Testing

@Suite("pssh boxes")
struct ProtectionSystemSpecificHeaderTests {
    /// Composed manually from the table in ISO/IEC 23001-7, 8.1: 52 bytes with one key ID, 68 with two.
    static let common = hex(
        """
        00000044 70737368 01000000 1077efec c0b24d02 ace33c1e 52e2fb4b
        00000002 00112233 44556677 8899aabb ccddeeff ffeeddcc bbaa9988 77665544 33221100
        00000000
        """
    )
    /// The example of the W3C's "cenc" initialization data format, section 4: two key IDs, no data.
    static let published = hex(
        """
        00000044 70737368 01000000 1077efec c0b24d02 ace33c1e 52e2fb4b
        00000002 30313233 34353637 38393031 32333435 41424344 45464748 494a4b4c 4d4e4f50
        00000000
        """
    )
    /// Version 0 has no key IDs: 32 bytes plus three bytes of data.
    static let versionZero = hex(
        "00000023 70737368 00000000 94ce86fb 07ff4f43 adb893d2 fa968ca2 00000003 010203"
    )

    private func parsed(_ bytes: [UInt8]) throws(ParseError) -> ProtectionSystemSpecificHeader {
        var reader = ByteReader(bytes.span.bytes)
        let box = try ProtectionSystemSpecificHeader(reading: &reader)
        try reader.finish("pssh box")
        return box
    }

    private func error(_ bytes: [UInt8]) -> ParseError? {
        do {
            _ = try parsed(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("The common box contains each key ID once")
    func commonBox() throws {
        let box = try #require(
            ProtectionSystemSpecificHeader(listing: [firstID, secondID, firstID], for: .common)
        )
        #expect(box.bytes == Self.common)
        #expect(try parsed(Self.common) == box)
    }

    @Test("FairPlay's box has key IDs and no data; identity has none")
    func fairPlayBox() throws {
        let box = try #require(ProtectionSystemSpecificHeader(listing: [firstID], for: .fairPlay))
        let expected = hex(
            """
            00000034 70737368 01000000 94ce86fb 07ff4f43 adb893d2 fa968ca2
            00000001 00112233 44556677 8899aabb ccddeeff 00000000
            """
        )
        #expect(box.bytes == expected)
        #expect(ProtectionSystemSpecificHeader(listing: [firstID], for: .identity) == nil)
    }

    /// Both boxes are Shaka Packager's for this key ID; the PlayReady Object has a separate suite.
    @Test("Widevine's and PlayReady's boxes have version 0 and system-specific data")
    func systemData() throws {
        let keyID = try ContentKeyID(parsing: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        let widevine = try ProtectionSystemSpecificHeader(announcing: [keyID, keyID], to: .widevine, scheme: .cbcs)
        let expected = hex(
            """
            00000038 70737368 00000000 edef8ba9 79d64ace a3c827dc d51d21ed 00000018
            1210a0a1 a2a3a4a5 a6a7a8a9 aaabacad aeaf48f3 c6899b06
            """
        )
        #expect(widevine?.bytes == expected)
        let playReady = try ProtectionSystemSpecificHeader(announcing: [keyID], to: .playReady, scheme: .cbcs)
        #expect(
            playReady?.bytes.prefix(32)
                == hex("000001de 70737368 00000000 9a04f079 98404286 ab92e65b e0885f95 000001be")[...]
        )
        #expect(playReady?.data == PlayReadyTests.object)
        let common = try ProtectionSystemSpecificHeader(announcing: [firstID], to: .common, scheme: .cenc)
        #expect(common == ProtectionSystemSpecificHeader(listing: [firstID], for: .common))
        #expect(try ProtectionSystemSpecificHeader(announcing: [firstID], to: .identity, scheme: .cenc) == nil)
    }

    @Test("Boxes of other packagers are parsed and written unchanged")
    func others() throws {
        let published = try parsed(Self.published)
        #expect(published.systemID == .common)
        let keyIDs = ["30313233343536373839303132333435", "4142434445464748494a4b4c4d4e4f50"]
        #expect(published.keyIDs?.map(\.hexadecimal) == keyIDs)
        let versionZero = try parsed(Self.versionZero)
        #expect(versionZero.keyIDs == nil)
        #expect(versionZero.data == [1, 2, 3])
        for bytes in [Self.published, Self.versionZero] { #expect(try parsed(bytes).bytes == bytes) }
        let both = try ProtectionSystemSpecificHeader.all(in: Self.versionZero + Self.published)
        #expect(both == [versionZero, published])
        #expect(try ProtectionSystemSpecificHeader.all(in: []).isEmpty)
    }

    @Test("A box with an 8-byte size field is parsed")
    func largeSize() throws {
        let large = hex("00000001 70737368 00000000 0000002b") + Self.versionZero[8...]
        #expect(try parsed(large) == parsed(Self.versionZero))
    }

    /// The Base64 of the box with the key ID B326F895-B6A2-4CC5-A4DC-70995728059C, as Shaka Packager's pssh-box prints it.
    @Test("Base64 is identical to that of other tools")
    func base64() throws {
        let keyID = try ContentKeyID(parsing: "B326F895B6A24CC5A4DC70995728059C")
        let box = try #require(ProtectionSystemSpecificHeader(listing: [keyID], for: .common))
        #expect(box.base64 == "AAAANHBzc2gBAAAAEHfv7MCyTQKs4zweUuL7SwAAAAGzJviVtqJMxaTccJlXKAWcAAAAAA==")
    }

    @Test("Every truncated box is rejected, whatever its size field", arguments: [common, published, versionZero])
    func truncation(_ bytes: [UInt8]) {
        for count in 0..<bytes.count {
            #expect(error(Array(bytes[..<count])) != nil, "\(count) bytes")
            guard count >= 8 else { continue }
            var short = Array(bytes[..<count])
            short[3] = UInt8(count)
            #expect(error(short) != nil, "\(count) bytes that say so")
        }
        #expect(error(bytes + [0])?.code == .trailingBytes)
    }

    @Test("Every flipped bit of a size, count, type or version is rejected")
    func damage() {
        let structural = Array(0..<9) + Array(28..<32) + Array(64..<68)
        for place in structural {
            for bit in 0..<8 {
                var wrong = Self.common
                wrong[place] ^= 1 << UInt8(bit)
                #expect(error(wrong) != nil, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test("A box that is longer than its fields is rejected")
    func leftOver() {
        var wrong = Self.versionZero + [0]
        wrong[3] += 1
        #expect(error(wrong)?.code == .trailingBytes)
    }

    @Test("Malicious size fields do not allocate memory")
    func hostileSizes() {
        var manyKeys = Self.common
        manyKeys.replaceSubrange(28..<32, with: hex("ffffffff"))
        #expect(error(manyKeys)?.code == .invalidLength)
        let huge = hex("00000001 70737368 ffffffff ffffffff") + Self.versionZero[8...]
        #expect(error(huge)?.code == .invalidLength)
        #expect(error(hex("00000000") + Self.versionZero[4...])?.code == .invalidLength)
    }
}
