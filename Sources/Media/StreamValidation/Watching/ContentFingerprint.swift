/// A fingerprint of bytes that arrive in pieces (FNV-1a, 64 bits), with which two loads of a resource are compared. It
/// detects mistakes of a server, not attacks.
struct ContentFingerprint: Hashable, Sendable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The number of bytes.
    private(set) var byteCount = 0

    init() {}

    init(_ bytes: [UInt8]) { append(bytes) }

    mutating func append(_ bytes: [UInt8]) {
        var value = value
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.value = value
        byteCount += bytes.count
    }
}
