/// AES-256 in CBC mode (SP 800-38A, 6.2) with the padding of XML Encryption, for keys in XML documents.
///
/// The last byte of the padding is its length, 1 to 16. The other padding bytes can have any value;
/// ``encryptPadded(_:key:iv:)`` sets them to the length (XML Encryption 1.1, 5.2.1). The mode does not authenticate:
/// check a MAC over the ciphertext before decryption. Otherwise an attacker who can send ciphertexts can learn the
/// plaintext from the errors (a padding oracle).
public enum AES256CBC {
    /// The size of a key in bytes.
    public static let keySize = 32
    /// The size of a block and of the initialization vector, in bytes.
    public static let blockSize = 16

    /// Encrypts a secret. The result is 1 to 16 bytes longer, a multiple of 16.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key does not have 32 bytes or the initialization vector does
    ///   not have 16.
    public static func encryptPadded(
        _ secret: SecretBytes,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let padding = blockSize - secret.count % blockSize
        let padded = SecretBytes(count: secret.count + padding) { out in
            secret.withUnsafeBytes { out.copyMemory(from: $0) }
            for index in secret.count..<out.count { out[index] = UInt8(padding) }
        }
        return try padded.withUnsafeBytes { padded throws(CryptoError) in
            try makeBytes(count: padded.count) { out throws(CryptoError) in
                try transform(.encrypt, padded, to: out, key: key, iv: iv)
            }
        }
    }

    /// Decrypts the result of ``encryptPadded(_:key:iv:)`` and removes the padding.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if the key does not have 32 bytes, the initialization vector does
    ///   not have 16, or the size of the ciphertext is 0 or not a multiple of 16; ``CryptoError/Code/decryptionFailed``
    ///   if the padding is not valid.
    public static func decryptPadded(
        _ ciphertext: some Collection<UInt8>,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        let padded = try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
            try SecretBytes(count: ciphertext.count) { out throws(CryptoError) in
                try transform(.decrypt, ciphertext, to: out, key: key, iv: iv)
            }
        }
        let padding = padded.withUnsafeBytes { Int($0.last ?? 0) }
        guard (1...blockSize).contains(padding) else {
            throw CryptoError(.decryptionFailed, operation: "AES-256-CBC decryption")
        }
        return padded[0..<padded.count - padding]
    }

    private static func transform(
        _ direction: Cipher.Direction,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        iv: some Collection<UInt8>
    ) throws(CryptoError) {
        let operation = "AES-256-CBC \(direction == .encrypt ? "encryption" : "decryption")"
        try requireSize(key.count, keySize, of: "key", operation: operation)
        try requireSize(iv.count, blockSize, of: "initialization vector", operation: operation)
        guard !input.isEmpty, input.count.isMultiple(of: blockSize) else {
            let reason = "data: \(input.count) bytes, must be a positive multiple of \(blockSize)"
            throw CryptoError(.invalidLength, operation: operation, reason: reason)
        }
        try withContiguousBytes(iv) { iv throws(CryptoError) in
            try Cipher.transform(
                Cipher.aes256CBC,
                direction,
                input,
                to: output.baseAddress,
                key: key,
                iv: iv,
                operation: operation
            )
        }
    }
}
