import KeyStore
import Testing

@testable import KeyServer

@Suite("The memory of refused messages")
struct RefusedMessagesTests {
    private static func message(_ key: UInt8, _ digest: UInt8) -> SPCFingerprint {
        SPCFingerprint(
            key: [UInt8](repeating: key, count: SPCFingerprint.hashSize),
            digest: [UInt8](repeating: digest, count: SPCFingerprint.hashSize),
            expires: 0
        )
    }

    @Test("A message is new until it is inserted; an altered copy does not replace it")
    func match() {
        let messages = RefusedMessages()
        #expect(messages.match(Self.message(1, 1)) == .new)
        messages.insert(Self.message(1, 1))
        #expect(messages.match(Self.message(1, 1)) == .same)
        #expect(messages.match(Self.message(1, 2)) == .altered)
        messages.insert(Self.message(1, 2))
        #expect(messages.match(Self.message(1, 1)) == .same)
        #expect(messages.match(Self.message(2, 1)) == .new)
    }

    @Test("The memory is bounded")
    func bound() {
        let messages = RefusedMessages(capacity: 2)
        for key in 1...9 as ClosedRange<UInt8> { messages.insert(Self.message(key, key)) }
        #expect(messages.match(Self.message(9, 9)) == .same)
        #expect(messages.match(Self.message(1, 1)) == .new)
    }
}
