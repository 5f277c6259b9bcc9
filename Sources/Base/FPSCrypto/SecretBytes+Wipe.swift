import CLibcrypto

extension SecretBytes {
    /// Overwrites memory that held a secret outside of a ``SecretBytes``, in a way that the optimiser cannot remove.
    public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
    }
}
