#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension RSAPublicKey {
    /// Encrypts in the same way as ``encryptOAEP(_:)``, with an OAEP seed from `random`, so that the result is
    /// reproducible if `random` is. libcrypto does not accept a seed, so this function implements the encoding of RFC
    /// 8017, 7.1.1:
    ///
    ///     bytes        field
    ///     0            0x00
    ///     1-20         seed, masked with MGF1 of the data block
    ///     21...        data block, masked with MGF1 of the seed: SHA-1 of the empty label, zeros, 0x01, message
    ///
    /// The function is intended for tests, and for virtual devices with a seed, whose SPCs tests compare byte by byte.
    /// Only this backend has the raw RSA operation that it requires.
    ///
    /// - Throws: ``CryptoError/Code/invalidLength`` if `message` is longer than the size of the modulus minus 42 bytes.
    package func encryptOAEP(
        _ message: SecretBytes,
        using random: inout some RandomNumberGenerator
    ) throws(CryptoError) -> [UInt8] {
        let (operation, size) = (Self.encryption, try checkedSize(for: message))
        let seed = random.bytes(SHA1.size)
        let encoded = SecretBytes(count: size) { block in
            let data = UnsafeMutableRawBufferPointer(rebasing: block[(1 + SHA1.size)...])
            data.copyBytes(from: SHA1.hash([]))
            data[data.count - message.count - 1] = 0x01
            message.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: data.suffix(message.count)).copyMemory(from: $0)
            }
            for (index, mask) in Self.mgf1(seed, count: data.count).enumerated() { data[index] ^= mask }
            for (index, mask) in Self.mgf1(Array(data), count: SHA1.size).enumerated() {
                block[1 + index] = seed[index] ^ mask
            }
        }
        return try encryptRaw(encoded, operation: operation)
    }

    /// Returns the mask of MGF1 with SHA-1 (RFC 8017, B.2.1).
    private static func mgf1(_ seed: [UInt8], count: Int) -> [UInt8] {
        var mask: [UInt8] = []
        var counter: UInt32 = 0
        while mask.count < count {
            mask += SHA1.hash(seed + withUnsafeBytes(of: counter.bigEndian) { Array($0) })
            counter += 1
        }
        return Array(mask.prefix(count))
    }

    /// Performs the raw RSA operation on a block that is as long as the modulus.
    private func encryptRaw(_ block: SecretBytes, operation: String) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, backend.pointer, nil) else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_encrypt_init(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1 else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        return try block.withUnsafeBytes { block throws(CryptoError) in
            try makeBytes(count: block.count) { out throws(CryptoError) in
                var written = out.count
                let result = EVP_PKEY_encrypt(
                    context,
                    out.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &written,
                    block.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    block.count
                )
                guard result == 1, written == out.count else {
                    throw .fromLibrary(.libraryFailure, operation: operation)
                }
            }
        }
    }
}
#endif
