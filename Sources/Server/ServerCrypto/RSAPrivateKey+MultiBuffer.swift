import CLibcrypto
package import FPSCrypto
import Foundation
import Locking

extension MultiBufferRSA: BatchOAEPDecryptor {
    package var batchSize: Int { Self.width }

    package func decryptOAEP(
        _ ciphertexts: [[UInt8]],
        with key: RSAPrivateKey
    ) -> [Result<SecretBytes, CryptoError>] {
        key.decryptOAEP(ciphertexts, with: self)
    }
}

extension RSAPrivateKey {
    /// Decrypts like `decryptOAEP(_:)`, but several messages at once if that is faster and crypto_mb supports the key.
    /// The results are in the order of the messages.
    ///
    /// The number of messages from which it is faster is measured at a key's first use: three with AVX-512.
    package func decryptOAEP(
        _ ciphertexts: [[UInt8]],
        with multiBuffer: MultiBufferRSA?
    ) -> [Result<SecretBytes, CryptoError>] {
        guard ciphertexts.count > 1, let multiBuffer, let known = multiBufferKey(for: multiBuffer) else {
            return ciphertexts.map(decryptSingle)
        }
        var results: [Result<SecretBytes, CryptoError>] = []
        results.reserveCapacity(ciphertexts.count)
        var rest = ciphertexts[...]
        while !rest.isEmpty {
            let batch = rest.prefix(MultiBufferRSA.width)
            rest = rest.dropFirst(MultiBufferRSA.width)
            results +=
                batch.count < known.threshold
                ? batch.map(decryptSingle) : decryptBatch(Array(batch), multiBuffer, known.key)
        }
        return results
    }

    private func decryptSingle(_ ciphertext: [UInt8]) -> Result<SecretBytes, CryptoError> {
        Result { () throws(CryptoError) in try decryptOAEP(ciphertext) }
    }

    private func decryptBatch(
        _ ciphertexts: [[UInt8]],
        _ multiBuffer: MultiBufferRSA,
        _ key: CRTKey
    ) -> [Result<SecretBytes, CryptoError>] {
        // RFC 8017, sections 7.1.2 and 5.1.2: a ciphertext is as long as the modulus, and a number below it. Neither is
        // secret.
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

    /// Decodes EME-OAEP (RFC 8017, section 7.1.2, step 3) with libcrypto, in constant time.
    private static func message(in block: SecretBytes) -> SecretBytes? {
        withUnsafeTemporaryAllocation(byteCount: block.count, alignment: 16) { buffer in
            defer { SecretBytes.wipe(buffer) }
            let size = block.withUnsafeBytes { block in
                clibcrypto_oaep_decode(buffer.baseAddress, buffer.count, block.baseAddress, block.count)
            }
            guard size >= 0, size <= buffer.count else { return nil }
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<Int(size)]))
        }
    }

    /// Returns the key in crypto_mb's format, if both libraries compute the same results; nil if crypto_mb must not be
    /// used.
    private func multiBufferKey(for multiBuffer: MultiBufferRSA) -> MultiBufferKey? {
        backend.attachment.withLock { known in
            if let known = known as? MultiBufferUse { return known.usable }
            let found = multiBuffer.supports(bits: bits) ? CRTKey(backend.pointer, bits: bits) : nil
            let usable = found.flatMap { tested($0, with: multiBuffer) }
            known = MultiBufferUse(usable: usable)
            return usable
        }
    }

    /// Returns nil if the libraries disagree, or if crypto_mb is not faster on this processor.
    private func tested(_ key: CRTKey, with multiBuffer: MultiBufferRSA) -> MultiBufferKey? {
        var random = SecureRandom()
        guard let publicKey = try? publicKey else { return nil }
        let messages = (0..<MultiBufferRSA.width).map { _ in SecretBytes(count: 16, randomFrom: &random) }
        let ciphertexts = messages.compactMap { try? publicKey.encryptOAEP($0) }
        guard ciphertexts.count == messages.count else { return nil }
        /// Returns the minimum of several measurements of this thread's CPU time, which excludes other threads and
        /// processes.
        func minimumTime(_ work: () -> Bool) -> UInt64? {
            var least: UInt64?
            for _ in 0..<5 {
                let begin = nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
                guard work() else { return nil }
                least = min(least ?? .max, nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - begin)
            }
            return least
        }
        let one = minimumTime { (try? decryptSingle(ciphertexts[0]).get()) == messages[0] }
        let all = minimumTime {
            zip(decryptBatch(ciphertexts, multiBuffer, key), messages).allSatisfy { (try? $0.get()) == $1 }
        }
        guard let one, let all, one > 0 else { return nil }
        let threshold = Int(all / one) + 1
        return threshold <= MultiBufferRSA.width ? MultiBufferKey(key: key, threshold: threshold) : nil
    }
}

/// A key that crypto_mb supports.
struct MultiBufferKey: Sendable {
    let key: CRTKey
    /// The number of messages from which crypto_mb is faster than libcrypto.
    let threshold: Int
}

/// The cached result of testing a key with crypto_mb.
struct MultiBufferUse: Sendable {
    let usable: MultiBufferKey?
}

private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
