#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension SecretBytes {
    /// Overwrites memory that contains a secret outside of a ``SecretBytes``, in a way that the optimizer cannot
    /// remove.
    public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
    }

    /// Compares `count` bytes in a time that depends only on `count`.
    static func constantTimeEquals(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Bool {
        CRYPTO_memcmp(left, right, count) == 0
    }
}
#endif
