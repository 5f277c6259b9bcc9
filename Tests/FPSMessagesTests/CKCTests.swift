import ByteCoding
import FPSMessages
import Testing

@Suite("CKC container and payload")
struct CKCTests {
    private let message = CKCMessage(iv: bytes(16), encryptedPayload: bytes(64))

    private func error(_ message: [UInt8]) -> ParseError? {
        parseError { () throws(ParseError) in _ = try CKCMessage(parsing: message) }
    }

    private func payloadError(_ payload: [UInt8]) -> ParseError? {
        parseError { () throws(ParseError) in _ = try CKCPayload(parsing: payload) }
    }

    @Test("Fields have the offsets of Table 2-10")
    func layout() throws {
        #expect(message.encoded == [0, 0, 0, 1, 0, 0, 0, 0] + bytes(16) + [0, 0, 0, 64] + bytes(64))
        #expect(try CKCMessage(parsing: message.encoded) == message)
    }

    @Test("Every truncation and every flipped bit in the version and length is refused")
    func damage() {
        let encoded = message.encoded
        for count in 0..<encoded.count { #expect(error(Array(encoded.prefix(count)))?.code == .truncated) }
        for bit in Array(0..<32) + Array(24 * 8..<28 * 8) {
            var wrong = encoded
            wrong[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            #expect(error(wrong) != nil, "bit \(bit)")
        }
        #expect(error(encoded + [0])?.code == .trailingBytes)
    }

    @Test("A payload is parsed, and blocks with other tags count as returned")
    func payload() throws {
        var random = SplitMix64()
        let returned = TransactionID(9).block(extraPadding: 2, using: &random)
        let bytes = Samples.ckcPayload + returned.encoded
        let parsed = try CKCPayload(parsing: bytes)
        #expect(parsed.blocks.encoded == bytes)
        #expect(parsed.r1 == R1(FPSMessagesTests.bytes(44)))
        #expect(parsed.contentKeyDuration?.lease == 600)
        #expect(parsed.requiredSecurityLevel?.level == .main)
        #expect(parsed.hdcpEnforcement?.level == .type1)
        #expect(parsed.returned == [returned])
    }

    @Test("The content key and R1 are mandatory; an Offline Key and a duration exclude each other")
    func rules() {
        let withoutKey = Samples.inCKC.filter { !($0 is EncryptedContentKey) }
        #expect(payloadError(Samples.payload(withoutKey))?.code.rawValue == "missing-encrypted-ck")
        let withoutR1 = Samples.inCKC.filter { !($0 is R1) }
        #expect(payloadError(Samples.payload(withoutR1))?.code.rawValue == "missing-r1")
        let offline = OfflineKey(streamID: bytes(16), storage: 1, playback: 1, titleID: nil)
        #expect(payloadError(Samples.payload(Samples.inCKC + [offline]))?.code == .conflictingBlocks)
        let withoutDuration = Samples.inCKC.filter { !($0 is ContentKeyDuration) } + [offline]
        #expect(payloadError(Samples.payload(withoutDuration)) == nil)
    }

    @Test("The server's blocks are in random order, followed by the returned blocks in their order")
    func order() throws {
        var random = SplitMix64()
        let own = Samples.inCKC.map { $0.block(using: &random) }
        let returned = [TransactionID(1).block(using: &random), StreamingIndicator.airPlay.block(using: &random)]
        var orders: Set<[TLLVTag]> = []
        for _ in 0..<50 {
            let payload = CKCPayload.assemble(own: own, returned: returned, using: &random)
            let parsed = try CKCPayload(parsing: payload)
            #expect(Array(parsed.blocks.suffix(2)) == returned)
            #expect(Set(parsed.blocks.dropLast(2)) == Set(own))
            orders.insert(parsed.blocks.map(\.tag))
        }
        #expect(orders.count > 20)
    }
}
