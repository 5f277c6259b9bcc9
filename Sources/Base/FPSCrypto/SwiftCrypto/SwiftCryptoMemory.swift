#if SwiftCrypto
import Crypto
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension SecretBytes {
    /// Overwrites memory that contains a secret outside of a ``SecretBytes``, in a way that the optimizer cannot
    /// remove.
    public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        #if canImport(Darwin)
        memset_s(start, memory.count, 0, memory.count)
        #else
        explicit_bzero(start, memory.count)
        #endif
    }

    /// Compares `count` bytes in a time that depends only on `count`.
    @inline(never)
    static func constantTimeEquals(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard let left, let right else { return count == 0 }
        var difference: UInt8 = 0
        for offset in 0..<count {
            difference |=
                left.load(fromByteOffset: offset, as: UInt8.self) ^ right.load(fromByteOffset: offset, as: UInt8.self)
        }
        return difference == 0
    }

    /// A copy as a key of the library, which also wipes its memory.
    var symmetricKey: SymmetricKey { withUnsafeBytes { SymmetricKey(data: $0) } }
}
#endif
