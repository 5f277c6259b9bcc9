#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

/// SHA-256 (FIPS 180-4) of a message that is passed in parts, such as a file during its download.
package struct SHA256Stream: ~Copyable {
    private let context: OpaquePointer?

    /// Creates a hash of an empty message.
    package init() {
        context = EVP_MD_CTX_new()
        // Traps in the same way as Digest.compute: no input causes this failure, and no caller could recover.
        precondition(EVP_DigestInit_ex2(context, Digest.sha256, nil) == 1, "libcrypto cannot compute a hash")
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "libcrypto cannot compute a hash")
    }

    /// Returns the hash of all bytes, 32 bytes.
    package consuming func finish() -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: SHA256.size)
        precondition(EVP_DigestFinal_ex(context, &hash, nil) == 1, "libcrypto cannot compute a hash")
        return hash
    }
}
#endif
