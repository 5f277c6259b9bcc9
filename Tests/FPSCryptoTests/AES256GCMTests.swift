import FPSCrypto
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
    struct Vector: Sendable {
        let key, nonce, plaintext, associated, ciphertext, tag: String
        var sealed: [UInt8] { hex(nonce + ciphertext + tag) }
    }

    /// NIST CAVP, GCM test vectors (CAVS 14.0). gcmEncryptExtIV256.rsp: IVlen 96, Taglen 128, PTlen 0 and AADlen 0,
    /// count 0; PTlen 128 and AADlen 0, count 0; PTlen 408 and AADlen 160, count 0. gcmDecrypt256.rsp: PTlen 128 and
    /// AADlen 128, count 0.
    static let vectors = [
        Vector(
            key: "b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4",
            nonce: "516c33929df5a3284ff463d7",
            plaintext: "",
            associated: "",
            ciphertext: "",
            tag: "bdc1ac884d332457a1d2664f168c76f0"
        ),
        Vector(
            key: "31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22",
            nonce: "0d18e06c7c725ac9e362e1ce",
            plaintext: "2db5168e932556f8089a0622981d017d",
            associated: "",
            ciphertext: "fa4362189661d163fcd6a56d8bf0405a",
            tag: "d636ac1bbedd5cc3ee727dc2ab4a9489"
        ),
        Vector(
            key: "24501ad384e473963d476edcfe08205237acfd49b5b8f33857f8114e863fec7f",
            nonce: "9ff18563b978ec281b3f2794",
            plaintext:
                "27f348f9cdc0c5bd5e66b1ccb63ad920ff2219d14e8d631b3872265cf117ee86757accb158bd9abb3868fdc0d0b074b5f01b2c",
            associated: "adb5ec720ccf9898500028bf34afccbcaca126ef",
            ciphertext:
                "eb7cb754c824e8d96f7c6d9b76c7d26fb874ffbf1d65c6f64a698d839b0b06145dae82057ad55994cf59ad7f67c0fa5e85fab8",
            tag: "bc95c532fecc594c36d1550286a7a3f0"
        ),
        Vector(
            key: "54e352ea1d84bfe64a1011096111fbe7668ad2203d902a01458c3bbd85bfce14",
            nonce: "df7c3bca00396d0c018495d9",
            plaintext: "85fc3dfad9b5a8d3258e4fc44571bd3b",
            associated: "7e968d71b50c1f11fd001f3fef49d045",
            ciphertext: "426e0efc693b7be1f3018db7ddbb7e4d",
            tag: "ee8257795be6a1164d7e1d2d6cac77a7"
        ),
    ]

    @Test("NIST's messages are decrypted", arguments: vectors)
    func known(vector: Vector) throws {
        let opened = try AES256GCM.open(
            vector.sealed,
            key: secret(vector.key),
            authenticating: hex(vector.associated)
        )
        #expect(opened == secret(vector.plaintext))
    }

    /// gcmDecrypt256.rsp, PTlen 128 and AADlen 128, count 2: marked FAIL.
    @Test("NIST's forged message is refused")
    func forged() {
        let sealed = hex("3deef6f453dd70d92143adcd e93165935ac18e3a2845d15fe31a9286 f5fc50d18766bc3d9e16dd136d45816b")
        let key = secret("9a0343f850a6427120f764789ffec6d237447b898fbf51d2182f065d3861497d")
        #expect(throws: CryptoError(.authenticationFailed, operation: "")) {
            try AES256GCM.open(sealed, key: key, authenticating: hex("dbb8226a624520863db6897017b2a4f8"))
        }
    }

    static let key = SecretBytes(copying: Array(0..<32))
    static let message = SecretBytes(copying: Array("a content key...".utf8))
    static let place = Array("asset-1".utf8)

    @Test("Encrypted messages round-trip, and no two encryptions are equal", arguments: [0, 1, 16, 1000])
    func roundTrip(size: Int) throws {
        var random = SeededRandom(seed: UInt64(size))
        let message = random.bytes(size)
        let sealed = try AES256GCM.seal(SecretBytes(copying: message), key: Self.key, authenticating: Self.place)
        let again = try AES256GCM.seal(message, key: Self.key, authenticating: Self.place)
        #expect(sealed.count == 12 + size + 16)
        #expect(sealed[..<12] != again[..<12], "the nonce must be new each time")
        for sealed in [sealed, again] {
            let opened = try AES256GCM.open(sealed, key: Self.key, authenticating: Self.place)
            #expect(opened.reveal() == message)
        }
    }

    @Test("Every flipped bit is detected")
    func tampered() throws {
        let sealed = try AES256GCM.seal(Self.message, key: Self.key, authenticating: Self.place)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, operation: "")) {
                try AES256GCM.open(changed, key: Self.key, authenticating: Self.place)
            }
        }
    }

    @Test("Another key, other associated data and every truncation are refused")
    func mismatched() throws {
        let sealed = try AES256GCM.seal(Self.message, key: Self.key, authenticating: Self.place)
        let otherKey = SecretBytes(copying: Array(1...32))
        let failed = CryptoError(.authenticationFailed, operation: "")
        #expect(throws: failed) { try AES256GCM.open(sealed, key: otherKey, authenticating: Self.place) }
        #expect(throws: failed) { try AES256GCM.open(sealed, key: Self.key) }
        #expect(throws: failed) { try AES256GCM.open(sealed, key: Self.key, authenticating: Self.place + [0]) }
        #expect(throws: failed) { try AES256GCM.open(sealed + [0], key: Self.key, authenticating: Self.place) }
        for size in 0..<sealed.count {
            let expected = size < 28 ? CryptoError(.invalidLength, operation: "") : failed
            #expect(throws: expected) {
                try AES256GCM.open(sealed[..<size], key: Self.key, authenticating: Self.place)
            }
        }
    }

    @Test("A key that is not 32 bytes is refused", arguments: [0, 16, 24, 31, 33])
    func keySizes(size: Int) {
        let key = SecretBytes(count: size) { _ in }
        #expect(throws: CryptoError(.invalidLength, operation: "")) { try AES256GCM.seal(Self.message, key: key) }
        #expect(throws: CryptoError(.invalidLength, operation: "")) {
            try AES256GCM.open([UInt8](repeating: 0, count: 60), key: key)
        }
    }
}
