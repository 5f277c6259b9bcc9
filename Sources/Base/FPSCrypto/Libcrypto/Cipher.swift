#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// The ciphers of libcrypto. Each cipher is fetched once, because OpenSSL 3.0 searches its providers at every use of an
/// algorithm by name, which takes longer than encrypting a short message.
enum Cipher {
    // The ciphers are immutable after the fetch, and libcrypto allows sharing them between threads. They are never
    // freed.
    nonisolated(unsafe) static let aes128ECB: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
    nonisolated(unsafe) static let aes128CBC: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
    nonisolated(unsafe) static let aes128CTR: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-128-CTR", nil)
    nonisolated(unsafe) static let aes256CBC: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    nonisolated(unsafe) static let aes256GCM: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    /// The maximum size of one call in bytes, a multiple of the block size. libcrypto uses `int` for sizes, so longer
    /// messages are processed in parts of this size.
    static let partSize = 1 << 30

    /// Calls `body` with a context that has its cipher, key and IV set and no padding, and then wipes and frees the
    /// context.
    static func withContext<Value>(
        _ cipher: OpaquePointer?,
        _ direction: Direction,
        key: SecretBytes,
        iv: UnsafeRawBufferPointer?,
        operation: String,
        _ body: (OpaquePointer) throws(CryptoError) -> Value
    ) throws(CryptoError) -> Value {
        guard let cipher, let context = EVP_CIPHER_CTX_new() else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        defer { EVP_CIPHER_CTX_free(context) }
        let initialized = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context,
                cipher,
                key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                iv?.baseAddress?.assumingMemoryBound(to: UInt8.self),
                direction.rawValue,
                nil
            )
        }
        guard initialized == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            throw .fromLibrary(.libraryFailure, operation: operation)
        }
        return try body(context)
    }

    /// Encrypts or decrypts `input` to `output`, which has the same size and can be the same memory. If `output` is
    /// nil, `input` is the associated data of an authenticated mode.
    static func update(
        _ context: OpaquePointer,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        operation: String
    ) throws(CryptoError) {
        var done = 0
        while done < input.count {
            let size = min(input.count - done, partSize)
            var written: Int32 = 0
            let result = EVP_CipherUpdate(
                context,
                output.map { ($0 + done).assumingMemoryBound(to: UInt8.self) },
                &written,
                input.baseAddress.map { ($0 + done).assumingMemoryBound(to: UInt8.self) },
                Int32(size)
            )
            guard result == 1, Int(written) == size else { throw .fromLibrary(.libraryFailure, operation: operation) }
            done += size
        }
    }

    /// Encrypts or decrypts whole blocks with an unauthenticated mode. `output` can be the memory of `input`.
    static func transform(
        _ cipher: OpaquePointer?,
        _ direction: Direction,
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        key: SecretBytes,
        iv: UnsafeRawBufferPointer?,
        operation: String
    ) throws(CryptoError) {
        try withContext(cipher, direction, key: key, iv: iv, operation: operation) { context throws(CryptoError) in
            try update(context, input, to: output, operation: operation)
        }
    }
}
#endif
