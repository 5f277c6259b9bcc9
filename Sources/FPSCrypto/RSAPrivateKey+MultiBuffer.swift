import CLibcrypto
import Synchronization

extension RSAPrivateKey {
    /// Decrypts as ``decryptOAEP(_:)`` does, several messages at once where that is faster: three and more, with a key that
    /// crypto_mb takes. The results come in the order of the messages.
    public func decryptOAEP(
        _ ciphertexts: [[UInt8]],
        with multiBuffer: MultiBufferRSA?
    ) -> [Result<SecretBytes, CryptoError>] {
        guard ciphertexts.count >= MultiBufferRSA.worthwhile, let multiBuffer, let key = crtKey(for: multiBuffer) else {
            return ciphertexts.map(alone)
        }
        var results: [Result<SecretBytes, CryptoError>] = []
        results.reserveCapacity(ciphertexts.count)
        var rest = ciphertexts[...]
        while !rest.isEmpty {
            let some = rest.prefix(MultiBufferRSA.width)
            rest = rest.dropFirst(MultiBufferRSA.width)
            results +=
                some.count < MultiBufferRSA.worthwhile ? some.map(alone) : together(Array(some), multiBuffer, key)
        }
        return results
    }

    private func alone(_ ciphertext: [UInt8]) -> Result<SecretBytes, CryptoError> {
        Result { () throws(CryptoError) in try decryptOAEP(ciphertext) }
    }

    private func together(
        _ ciphertexts: [[UInt8]],
        _ multiBuffer: MultiBufferRSA,
        _ key: CRTKey
    ) -> [Result<SecretBytes, CryptoError>] {
        // RFC 8017, 7.1.2 and 5.1.2: a ciphertext is as long as the modulus, and a number below it. Neither is a secret.
        let fits = ciphertexts.map { $0.count == key.modulus.count && $0.lexicographicallyPrecedes(key.modulus) }
        let blocks = zip(ciphertexts, fits).compactMap { $1 ? $0 : nil }
        var decrypted = multiBuffer.decrypt(blocks, with: key).makeIterator()
        return clearingErrors {
            fits.map { fits in
                guard fits, let block = decrypted.next() ?? nil, let message = Self.message(in: block) else {
                    return .failure(CryptoError(.decryptionFailed, operation: "RSA-OAEP decryption"))
                }
                return .success(message)
            }
        }
    }

    /// EME-OAEP decoding (RFC 8017, 7.1.2, step 3), by libcrypto in constant time.
    private static func message(in block: SecretBytes) -> SecretBytes? {
        withUnsafeTemporaryAllocation(byteCount: block.count, alignment: 16) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            let size = block.withUnsafeBytes { block in
                clibcrypto_oaep_decode(buffer.baseAddress, buffer.count, block.baseAddress, block.count)
            }
            guard size >= 0, size <= buffer.count else { return nil }
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<Int(size)]))
        }
    }

    /// The key in crypto_mb's form, once the two libraries have agreed about it.
    private func crtKey(for multiBuffer: MultiBufferRSA) -> CRTKey? {
        multiBufferKey.withLock { known in
            if let known { return known.key }
            let key = multiBuffer.takes(bits: bits) ? CRTKey(self.key, bits: bits) : nil
            let isRight = key.map { agrees(with: multiBuffer, $0) } ?? false
            known = MultiBufferKey(key: isRight ? key : nil)
            return isRight ? key : nil
        }
    }

    private func agrees(with multiBuffer: MultiBufferRSA, _ key: CRTKey) -> Bool {
        var random = SecureRandom()
        guard let publicKey = try? publicKey else { return false }
        let messages = (0..<MultiBufferRSA.width).map { _ in SecretBytes(count: 16, randomFrom: &random) }
        let ciphertexts = messages.compactMap { try? publicKey.encryptOAEP($0) }
        guard ciphertexts.count == messages.count else { return false }
        let results = together(ciphertexts, multiBuffer, key)
        return zip(results, messages).allSatisfy { (try? $0.get()) == $1 }
    }
}

/// What is known of a key and crypto_mb: nil in it where they do not go together.
struct MultiBufferKey: Sendable {
    let key: CRTKey?
}
