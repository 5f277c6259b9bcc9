#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension SecureRandom {
    /// Fills `buffer` with random bytes from libcrypto.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 30))
            let start = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
            precondition(RAND_bytes(start, Int32(part.count)) == 1, "the system provides no random bytes")
            rest = rest.dropFirst(part.count)
        }
    }
}
#endif
