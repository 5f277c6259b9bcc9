#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension AES256GCM {
    /// Writes the nonce, the ciphertext and the tag to `out`, which has exactly this size.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        to out: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer,
        operation: String
    ) throws(CryptoError) {
        let nonce = UnsafeMutableRawBufferPointer(rebasing: out[..<nonceSize])
        let tag = UnsafeMutableRawBufferPointer(rebasing: out[(nonceSize + plaintext.count)...])
        let ciphertext = out.baseAddress.map { $0 + nonceSize }
        SecureRandom.fill(nonce)
        try Cipher.withContext(
            Cipher.aes256GCM,
            .encrypt,
            key: key,
            iv: UnsafeRawBufferPointer(nonce),
            operation: operation
        ) { context throws(CryptoError) in
            try Cipher.update(context, associatedData, to: nil, operation: operation)
            try Cipher.update(context, plaintext, to: ciphertext, operation: operation)
            var written: Int32 = 0
            let end = tag.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard EVP_CipherFinal_ex(context, end, &written) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), tag.baseAddress) == 1
            else { throw .fromLibrary(.libraryFailure, operation: operation) }
        }
    }

    /// Writes the plaintext to `out`, which has exactly this size.
    static func open(
        _ sealed: UnsafeRawBufferPointer,
        to out: UnsafeMutableRawBufferPointer,
        key: SecretBytes,
        authenticating associatedData: UnsafeRawBufferPointer,
        operation: String
    ) throws(CryptoError) {
        // libcrypto accepts the tag as a pointer that is not const, but only reads it.
        var tag = [UInt8](sealed.suffix(tagSize))
        try Cipher.withContext(
            Cipher.aes256GCM,
            .decrypt,
            key: key,
            iv: UnsafeRawBufferPointer(rebasing: sealed[..<nonceSize]),
            operation: operation
        ) { context throws(CryptoError) in
            let ciphertext = UnsafeRawBufferPointer(rebasing: sealed[nonceSize..<nonceSize + out.count])
            try Cipher.update(context, associatedData, to: nil, operation: operation)
            try Cipher.update(context, ciphertext, to: out.baseAddress, operation: operation)
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1 else {
                throw .fromLibrary(.libraryFailure, operation: operation)
            }
            // Nothing is written here, but libcrypto requires a valid pointer.
            var (nothing, written): (UInt8, Int32) = (0, 0)
            guard EVP_CipherFinal_ex(context, &nothing, &written) == 1 else {
                ERR_clear_error()
                throw CryptoError(.authenticationFailed, operation: operation)
            }
        }
    }
}
#endif
