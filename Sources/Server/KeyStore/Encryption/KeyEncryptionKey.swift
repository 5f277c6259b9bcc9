package import FPSCrypto
import TextCoding

/// The key that encrypts a store's secrets: 32 bytes for AES-256-GCM.
///
/// Each encryption uses a random 12-byte nonce, so a key must be rotated well before 2^32 encryptions.
package struct KeyEncryptionKey: Sendable {
    /// The key's ID, which reveals nothing about the key: the first 8 bytes of an HMAC-SHA256 under the key.
    package let id: [UInt8]
    let secret: SecretBytes

    /// Creates a key from 32 bytes.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` if the size differs.
    package init(_ secret: SecretBytes) throws(KeyStoreError) {
        guard secret.count == 32 else {
            throw KeyStoreError(
                .malformedKEK,
                place: "key-encryption key",
                reason: "expected 32 bytes, not \(secret.count)"
            )
        }
        self.secret = secret
        id = Array(HMACSHA256.authenticate("keyway key-encryption key".utf8, key: secret).prefix(8))
    }

    /// Creates a random key.
    package static func generate() throws(KeyStoreError) -> KeyEncryptionKey {
        var random = SecureRandom()
        return try KeyEncryptionKey(SecretBytes(count: 32, randomFrom: &random))
    }
}

extension KeyEncryptionKey {
    /// The maximum number of keys in one source: the one in use, and the old and new ones during a rotation.
    static let maximumCount = 8
    /// The size of the maximum number of keys, as lines of 64 digits, in bytes.
    static let maximumText = maximumCount * 65

    /// Parses lines of 64 hexadecimal digits each; at least one and at most ``maximumCount``.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` with `place`. The error contains none of the digits.
    static func keys(in text: UnsafeRawBufferPointer, place: String) throws(KeyStoreError) -> [KeyEncryptionKey] {
        guard text.count <= maximumText else {
            throw KeyStoreError(
                .malformedKEK,
                place: place,
                reason: "expected at most \(maximumCount) keys of 64 digits"
            )
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

    /// Parses a key from 64 hexadecimal digits, with an optional newline at the end.
    ///
    /// - Throws: ``KeyStoreError/Code/malformedKEK`` with `place`. The error contains none of the digits.
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

    /// The key as 64 hexadecimal digits and a newline.
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
