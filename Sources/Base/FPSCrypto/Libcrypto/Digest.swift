#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// Hash functions of libcrypto, looked up once (see ``Cipher``).
enum Digest {
    typealias Function = OpaquePointer?

    // Immutable after the fetch and meant by libcrypto to be shared between threads; never freed.
    nonisolated(unsafe) static let sha1: OpaquePointer? = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    /// Traps if libcrypto has no such hash function or no memory: no input brings that about, and no caller could go on.
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
