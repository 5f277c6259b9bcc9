#if SwiftCrypto
extension SecureRandom {
    /// Fills `buffer` with random bytes from the system's generator, which swift-crypto also uses for its keys.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var generator = SystemRandomNumberGenerator()
        var done = 0
        while done < buffer.count {
            withUnsafeBytes(of: generator.next()) { number in
                let size = min(number.count, buffer.count - done)
                UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + size])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: number[..<size]))
                done += size
            }
        }
    }
}
#endif
