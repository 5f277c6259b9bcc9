import FPSCrypto
import Testing

@Suite("AES-128")
struct AES128Tests {
    /// The key, plaintext and ciphertext of FIPS 197 (2001), appendix B and appendix C.1.
    static let blocks = [
        ["2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"],
        ["000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"],
    ]

    @Test("Single blocks match FIPS 197", arguments: blocks)
    func block(vector: [String]) throws {
        let (key, plain, cipher) = (secret(vector[0]), hex(vector[1]), hex(vector[2]))
        #expect(try AES128.encryptBlock(plain, key: key) == cipher)
        #expect(try AES128.encryptBlock(SecretBytes(copying: plain), key: key) == cipher)
        #expect(try AES128.encryptBlockSecret(plain, key: key).reveal() == cipher)
        #expect(try AES128.decryptBlock(cipher, key: key) == plain)
        #expect(try AES128.decryptBlockSecret(cipher, key: key).reveal() == plain)
    }

    /// The common key and plaintext of the AES-128 examples in SP 800-38A, appendix F.
    static let key = secret("2b7e151628aed2a6abf7158809cf4f3c")
    static let plaintext = hex(
        """
        6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
        30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
        """
    )
    /// SP 800-38A, F.2.1 and F.2.2.
    static let iv = hex("000102030405060708090a0b0c0d0e0f")
    static let chained = hex(
        """
        7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
        73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7
        """
    )

    @Test("CBC matches SP 800-38A, F.2.1 and F.2.2")
    func chaining() throws {
        let (key, iv) = (Self.key, Self.iv)
        #expect(try AES128.encryptCBC(Self.plaintext, key: key, iv: iv) == Self.chained)
        #expect(try AES128.encryptCBC(SecretBytes(copying: Self.plaintext), key: key, iv: iv) == Self.chained)
        #expect(try AES128.decryptCBC(Self.chained, key: key, iv: iv) == Self.plaintext)
        #expect(try AES128.decryptCBCSecret(Self.chained, key: key, iv: iv).reveal() == Self.plaintext)
    }

    @Test("Slices and lazy collections are accepted")
    func collections() throws {
        let framed = [9, 9] + Self.chained + [9]
        let slice = framed[2..<framed.count - 1]
        #expect(try AES128.decryptCBC(slice, key: Self.key, iv: framed[2..<18]).count == 64)
        #expect(try AES128.decryptCBC(slice.lazy.map { $0 }, key: Self.key, iv: Self.iv[...]) == Self.plaintext)
    }

    @Test("In-place encryption overwrites only the plaintext")
    func inPlace() throws {
        var message = Self.plaintext
        try AES128.encryptCBC(inPlace: &message, key: Self.key, iv: Self.iv)
        #expect(message == Self.chained)

        var framed = [1, 2, 3] + Self.plaintext + [4, 5]
        try AES128.encryptCBC(inPlace: &framed, range: 3..<67, key: Self.key, iv: Self.iv)
        #expect(framed == [1, 2, 3] + Self.chained + [4, 5])

        let copy = framed
        try AES128.encryptCBC(inPlace: &framed, range: 5..<5, key: Self.key, iv: Self.iv)
        #expect(framed == copy)
    }

    @Test("In-place encryption refuses a range outside of the message and leaves the message unchanged")
    func inPlaceRange() {
        var message = Self.plaintext
        for range in [0..<80, 64..<80, -16..<16, 0..<63, Int.max - 16..<Int.max, Int.min..<Int.max] {
            #expect(throws: CryptoError(.invalidLength, operation: "")) {
                try AES128.encryptCBC(inPlace: &message, range: range, key: Self.key, iv: Self.iv)
            }
        }
        #expect(message == Self.plaintext)
    }

    @Test("Empty input yields empty output")
    func empty() throws {
        #expect(try AES128.encryptCBC([], key: Self.key, iv: Self.iv) == [])
        #expect(try AES128.decryptCBC([], key: Self.key, iv: Self.iv) == [])
        #expect(try AES128.decryptCBCSecret([], key: Self.key, iv: Self.iv).count == 0)
        #expect(try AES128.encryptCTR([], key: Self.key, counter: Self.iv) == [])
    }

    /// SP 800-38A, F.5.1.
    @Test("CTR matches SP 800-38A, F.5.1, for any number of bytes")
    func counter() throws {
        let counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let expected = hex(
            """
            874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff
            5ae4df3edbd5d35e5b4f09020db03eab 1e031dda2fbe03d1792170a0f3009cee
            """
        )
        for size in 0...64 {
            let part = try AES128.encryptCTR(Self.plaintext[..<size], key: Self.key, counter: counter)
            #expect(part == Array(expected[..<size]))
        }
    }

    @Test("Wrong sizes of keys, blocks, messages and IVs are refused", arguments: [0, 1, 15, 17, 24, 32])
    func sizes(size: Int) {
        let bytes = [UInt8](repeating: 0, count: size)
        let (key, iv, block) = (Self.key, Self.iv, Self.iv)
        let wrongKey = SecretBytes(copying: bytes)
        let wrong = CryptoError.Code.invalidLength
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptBlock(block, key: wrongKey) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptBlock(block, key: wrongKey) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptBlock(bytes, key: key) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptBlock(wrongKey, key: key) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptBlock(bytes, key: key) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptBlockSecret(bytes, key: key) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptCBC(block, key: wrongKey, iv: iv) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptCBC(block, key: key, iv: bytes) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptCTR(block, key: key, counter: bytes) } == wrong)
        #expect(
            code { () throws(CryptoError) in _ = try AES128.encryptCTR(block, key: wrongKey, counter: iv) } == wrong
        )
    }

    @Test("CBC refuses sizes that are not a multiple of the block size", arguments: [1, 15, 17, 31, 33])
    func odd(size: Int) {
        let bytes = [UInt8](repeating: 0, count: size)
        let (key, iv) = (Self.key, Self.iv)
        let wrong = CryptoError.Code.invalidLength
        #expect(code { () throws(CryptoError) in _ = try AES128.encryptCBC(bytes, key: key, iv: iv) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptCBC(bytes, key: key, iv: iv) } == wrong)
        #expect(code { () throws(CryptoError) in _ = try AES128.decryptCBCSecret(bytes, key: key, iv: iv) } == wrong)
    }
}
