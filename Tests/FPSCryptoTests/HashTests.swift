import FPSCrypto
import Testing

@Suite("Hashes and HMAC")
struct HashTests {
    static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    /// The examples to FIPS 180 (NIST, "SHA1.pdf"): one block, two blocks; RFC 3174, 7.3, test 3; and the empty
    /// message of CAVP's SHA1ShortMsg.rsp, Len = 0.
    @Test(
        "SHA-1 agrees with the published examples",
        arguments: [
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (twoBlocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ]
    )
    func sha1(message: String, expected: String) {
        #expect(SHA1.hash(message.utf8) == hex(expected))
        #expect(SHA1.hash(SecretBytes(copying: message.utf8)) == secret(expected))
    }

    /// The examples to FIPS 180 (NIST, "SHA256.pdf"): one block, two blocks; and the empty message of CAVP's
    /// SHA256ShortMsg.rsp, Len = 0.
    @Test(
        "SHA-256 agrees with the published examples",
        arguments: [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ]
    )
    func sha256(message: String, expected: String) {
        #expect(SHA256.hash(message.utf8) == hex(expected))
        #expect(SHA256.hash(SecretBytes(copying: message.utf8)) == secret(expected))
    }

    /// RFC 4231, 4.2 to 4.8 (test cases 1, 2, 3, 4, 6 and 7): key, message, code.
    static let codes: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("HMAC-SHA-256 matches RFC 4231", arguments: codes)
    func hmac(key: [UInt8], message: [UInt8], code: String) {
        let key = SecretBytes(copying: key)
        #expect(HMACSHA256.authenticate(message, key: key) == hex(code))
        #expect(HMACSHA256.derive(message, key: key) == secret(code))
    }

    /// According to RFC 2104, an empty key is padded with zeros like any short key, so it is equivalent to a key of
    /// zeros.
    @Test("An empty key is used as a key, instead of the previous key")
    func emptyKey() {
        let message = Array("message".utf8)
        _ = HMACSHA256.authenticate(message, key: secret("00112233"))
        let code = HMACSHA256.authenticate(message, key: SecretBytes(copying: []))
        #expect(code == HMACSHA256.authenticate(message, key: SecretBytes(count: 64) { _ in }))
        #expect(HMACSHA256.authenticate([], key: SecretBytes(copying: [])).count == 32)
    }

    @Test("Concurrent hashing on several threads yields correct results")
    func concurrency() async {
        let expected = Self.codes.map { hex($0.code) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { _ in
                        Self.codes.map { HMACSHA256.authenticate($0.message, key: SecretBytes(copying: $0.key)) }
                            == expected
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
