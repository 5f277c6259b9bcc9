import FPSCrypto
import Testing

@Suite("SecretBytes")
struct SecretBytesTests {
    static let content = Array("sixteen secrets!".utf8)

    @Test("All text forms show only the size")
    func printing() {
        struct Session {
            let key: SecretBytes
            let maybe: SecretBytes?
        }
        let secret = SecretBytes(copying: Self.content)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(Session(key: secret, maybe: secret), to: &dumped)
        let shown = [
            "\(secret)", String(describing: secret), String(reflecting: secret), secret.debugDescription, dumped,
            "\([secret])", String(reflecting: ["key": secret]), "\(Session(key: secret, maybe: secret))",
            String(describing: Mirror(reflecting: secret)),
        ]
        #expect(shown[0] == "SecretBytes(16 bytes)")
        for text in shown {
            #expect(!text.contains("sixteen"))
            // The bytes as decimal numbers, as in the description of an array.
            #expect(!text.contains("115"))
            #expect(!text.lowercased().contains("7369"))
            #expect(!text.contains("0x"), "an address leads a debugger there")
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(Mirror(reflecting: secret).superclassMirror == nil)
    }

    @Test("SecretBytes is neither Encodable nor Hashable")
    func conformances() {
        let secret: Any = SecretBytes(copying: Self.content)
        #expect(!(secret is any Encodable))
        #expect(!(secret is any Hashable))
    }

    @Test("Every way of making one keeps the bytes")
    func making() throws {
        #expect(SecretBytes(copying: Self.content).reveal() == Self.content)
        #expect(SecretBytes(copying: Self.content[4..<8]).reveal() == Array(Self.content[4..<8]))
        #expect(SecretBytes(copying: Self.content.lazy.map { $0 ^ 1 }).reveal() == Self.content.map { $0 ^ 1 })
        #expect(SecretBytes(copying: []).reveal() == [])
        #expect(SecretBytes(copying: []).count == 0)
        #expect(SecretBytes(count: 3) { _ in }.reveal() == [0, 0, 0])
        #expect(SecretBytes(count: 3) { $0[1] = 7 }.reveal() == [0, 7, 0])

        var (one, other) = (SeededRandom(seed: 4), SeededRandom(seed: 4))
        #expect(SecretBytes(count: 21, randomFrom: &one).reveal() == other.bytes(21))
    }

    @Test("What the initializing closure throws comes out")
    func throwing() {
        struct Refused: Error, Equatable {}
        #expect(throws: Refused()) {
            try SecretBytes(count: 4) { buffer throws(Refused) in
                buffer[0] = 1
                throw Refused()
            }
        }
    }

    @Test("Wiped memory holds zeros, in the part that was named alone")
    func wiping() {
        var memory: [UInt8] = [1, 2, 3, 4, 5]
        memory.withUnsafeMutableBytes { SecretBytes.wipe(UnsafeMutableRawBufferPointer(rebasing: $0[1..<4])) }
        #expect(memory == [1, 0, 0, 0, 5])
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    @Test("A part is a copy")
    func parts() {
        let secret = SecretBytes(copying: Self.content)
        #expect(secret[0..<16] == secret)
        #expect(secret[0..<16] !== secret)
        #expect(secret[3..<7].reveal() == Array(Self.content[3..<7]))
        #expect(secret[16..<16].count == 0)
    }

    @Test("Two are equal when size and bytes are")
    func equality() {
        let secret = SecretBytes(copying: Self.content)
        #expect(secret == SecretBytes(copying: Self.content))
        for index in Self.content.indices {
            var other = Self.content
            other[index] ^= 0x80
            #expect(secret != SecretBytes(copying: other))
            #expect(!SecretBytes.constantTimeEquals(Self.content, other))
        }
        #expect(secret != SecretBytes(copying: Self.content.dropLast()))
        #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
        #expect(SecretBytes(copying: []) != secret)
    }

    @Test("Plain bytes are compared whatever collection they are in")
    func plainEquality() {
        #expect(SecretBytes.constantTimeEquals(Self.content, Self.content[...]))
        #expect(SecretBytes.constantTimeEquals(Self.content, "sixteen secrets!".utf8))
        #expect(SecretBytes.constantTimeEquals([], [UInt8]()))
        #expect(!SecretBytes.constantTimeEquals(Self.content, Self.content.dropFirst()))
        #expect(!SecretBytes.constantTimeEquals([], Self.content))
    }
}
