#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// The hash functions of libcrypto, which are fetched once (see ``Cipher``).
enum Digest {
    typealias Function = OpaquePointer?

    // The functions are immutable after the fetch, and libcrypto allows sharing them between threads. They are never
    // freed.
    nonisolated(unsafe) static let sha1: OpaquePointer? = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    /// Computes a hash. Traps if libcrypto does not have the hash function or has no memory: no input causes this
    /// failure, and no caller could recover.
    static func compute(
        _ message: UnsafeRawBufferPointer,
        _ digest: Function,
        _ output: UnsafeMutableRawBufferPointer
    ) {
        let out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        precondition(
            digest != nil && EVP_Digest(message.baseAddress, message.count, out, nil, digest, nil) == 1,
            "libcrypto cannot compute a hash"
        )
    }
}
#endif
