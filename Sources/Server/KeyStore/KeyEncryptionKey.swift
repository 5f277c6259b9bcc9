package import FPSCrypto
import TextCoding

/// The key under which a store seals its secrets: 32 bytes for AES-256-GCM.
///
/// Each seal draws a random 12-byte nonce, so that one key serves for some 2^32 seals; rotate long before that.
package struct KeyEncryptionKey: Sendable {
    /// Tells keys apart without saying anything about them: the first 8 bytes of an HMAC-SHA256 under the key.
    package let id: [UInt8]
    let secret: SecretBytes

    /// Takes a key of 32 bytes.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` when it has another size.
    package init(_ secret: SecretBytes) throws(KeyStoreError) {
        guard secret.count == 32 else {
            throw KeyStoreError(
                .malformedKEK,
                place: "key-encryption key",
                reason: "\(secret.count) bytes, not 32"
            )
        }
        self.secret = secret
        id = Array(HMACSHA256.authenticate("keyway key-encryption key".utf8, key: secret).prefix(8))
    }

    /// Makes a new key from the system's random numbers.
    package static func generate() throws(KeyStoreError) -> KeyEncryptionKey {
        var random = SecureRandom()
        return try KeyEncryptionKey(SecretBytes(count: 32, randomFrom: &random))
    }
}

extension KeyEncryptionKey {
    /// As many keys as one source may hold: the one in use, and those that it is being changed to or from.
    static let maximumCount = 8
    /// The size in bytes of that many lines of 64 digits.
    static let maximumText = maximumCount * 65

    /// Takes keys from lines of 64 hexadecimal digits each, one at least and ``maximumCount`` at most.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK``, with `place` as its place and nothing of the digits.
    static func keys(in text: UnsafeRawBufferPointer, place: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        guard text.count <= maximumText else {
            throw KeyStoreError(.malformedKEK, place: place, reason: "more than \(maximumCount) keys of 64 digits")
        }
        var keys: [KeyEncryptionKey] = []
        var rest = text[...]
        repeat {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            keys.append(try KeyEncryptionKey(hexadecimal: UnsafeRawBufferPointer(rebasing: line), place: place))
        } while !rest.isEmpty
        return keys
    }

    /// Takes a key from 64 hexadecimal digits; a line end may follow them.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK``, with `place` as its place and nothing of the digits.
    init(hexadecimal text: UnsafeRawBufferPointer, place: String) throws(KeyStoreError) {
        var digits = text[...]
        if digits.last == UInt8(ascii: "\n") { digits = digits.dropLast() }
        let malformed = KeyStoreError(.malformedKEK, place: place, reason: "expected 64 hexadecimal digits")
        guard digits.count == 64 else { throw malformed }
        try self.init(
            SecretBytes(count: 32) { (key: UnsafeMutableRawBufferPointer) throws(KeyStoreError) in
                for index in 0..<32 {
                    guard let high = Hexadecimal.value(of: digits[digits.startIndex + 2 * index]),
                        let low = Hexadecimal.value(of: digits[digits.startIndex + 2 * index + 1])
                    else { throw malformed }
                    key[index] = high << 4 | low
                }
            }
        )
    }

    /// The key as 64 hexadecimal digits and a line end.
    var hexadecimal: SecretBytes {
        secret.withUnsafeBytes { key in
            SecretBytes(count: 65) { text in
                for (index, byte) in key.enumerated() {
                    text[2 * index] = Hexadecimal.digit(byte >> 4)
                    text[2 * index + 1] = Hexadecimal.digit(byte)
                }
                text[64] = UInt8(ascii: "\n")
            }
        }
    }
}
