import ByteCoding
import FPSMessages
import Testing

@Suite("SPC container and payload")
struct SPCTests {
    static func message(_ version: SPCVersion) -> SPCMessage {
        SPCMessage(
            version: version,
            reserved: 0xdead_beef,
            iv: bytes(16),
            encryptedKey: bytes(version.encryptedKeyLength!),
            certificateHash: bytes(20, from: 0x70),
            encryptedPayload: bytes(64, from: 0x11)
        )
    }

    private func error(_ message: [UInt8]) -> ParseError? {
        parseError { () throws(ParseError) in _ = try SPCMessage(parsing: message) }
    }

    private func payloadError(_ payload: [UInt8]) -> ParseError? {
        parseError { () throws(ParseError) in _ = try SPCPayload(parsing: payload) }
    }

    @Test(
        "Fields have the offsets of Table 2-3 and its erratum",
        arguments: [(SPCVersion.version1, 152), (.version2, 280)]
    )
    func layout(version: SPCVersion, hash: Int) throws {
        let message = Self.message(version)
        let encoded = message.encoded
        #expect(Array(encoded[8..<24]) == message.iv)
        #expect(Array(encoded[24..<hash]) == message.encryptedKey)
        #expect(Array(encoded[hash..<hash + 20]) == message.certificateHash)
        #expect(Array(encoded[hash + 20..<hash + 24]) == [0, 0, 0, 64])
        #expect(Array(encoded[(hash + 24)...]) == message.encryptedPayload)
        #expect(try SPCMessage(parsing: encoded) == message)
    }

    @Test("Every truncation fails", arguments: [SPCVersion.version1, .version2])
    func truncations(version: SPCVersion) {
        let encoded = Self.message(version).encoded
        for count in 0..<encoded.count {
            #expect(error(Array(encoded.prefix(count)))?.code == .truncated, "\(count) bytes")
        }
    }

    @Test("Every flipped bit of the payload length is refused", arguments: [SPCVersion.version1, .version2])
    func flippedLengths(version: SPCVersion) {
        let encoded = Self.message(version).encoded
        let field = 44 + version.encryptedKeyLength!
        for bit in 0..<32 {
            var wrong = encoded
            wrong[field + bit / 8] ^= 0x80 >> UInt8(bit % 8)
            #expect(error(wrong) != nil, "bit \(bit)")
        }
        #expect(error(encoded + [0])?.code == .trailingBytes)
    }

    @Test("Version 3 has a separate error, and errors for other versions contain the number")
    func versions() {
        var encoded = Self.message(.version2).encoded
        encoded[3] = 3
        #expect(error(encoded)?.code == .spcVersion3)
        for version in [0, 4, 9, 255] as [UInt8] {
            encoded[3] = version
            #expect(error(encoded)?.code == .unsupportedVersion)
            #expect(error(encoded)?.reason == "\(version)")
        }
    }

    @Test("A payload's blocks are parsed in any order, and preserved exactly")
    func payload() throws {
        let payload = Samples.spcPayload
        let parsed = try SPCPayload(parsing: payload)
        #expect(parsed.blocks.encoded == payload)
        #expect(parsed.request.assetID.bytes == Array("skd://title-1/hd".utf8))
        #expect(parsed.protocolVersionsSupported.versions == [1, 2])
        #expect(parsed.request.deviceIdentity?.osVersion == OSVersion(26, 1))
        #expect(parsed.request.sync == .version1(contentID: bytes(16), expiry: Sync.Expiry(rawValue: 3600)))
        #expect(parsed.request.anomalies.isEmpty)

        let reversed = try SPCPayload(
            parsing: Samples.payload((Samples.mandatoryInSPC + Samples.optionalInSPC).reversed())
        )
        #expect(reversed.request.assetID == parsed.request.assetID)
        #expect(reversed.request.vmDeviceInformation == parsed.request.vmDeviceInformation)
    }

    @Test(
        "Optional blocks can be missing; each missing mandatory block has a separate error",
        arguments: 0..<SPCPayload.blockTable.count
    )
    func missing(row: Int) {
        let (tag, isMandatory) = SPCPayload.blockTable[row]
        let rest = (Samples.mandatoryInSPC + Samples.optionalInSPC).filter { type(of: $0).tag != tag }
        let found = payloadError(Samples.payload(rest))
        #expect(found?.code == (isMandatory ? .missing(tag) : nil))
        if isMandatory { #expect(found?.code.rawValue == "missing-\(tag)") }
    }

    @Test("A block with an unknown version counts as absent and is noted; Sync version 0 is normal")
    func unknownVersions() throws {
        var random = SplitMix64()
        let rest = Samples.payload(Samples.mandatoryInSPC)
        let vm = TLLV(tag: .vmDeviceInformation, value: [0, 0, 0, 2] + bytes(60), using: &random)
        let parsed = try SPCPayload(parsing: rest + vm.encoded)
        #expect(parsed.request.vmDeviceInformation == nil)
        #expect(parsed.request.anomalies == [.unknownVersion(.vmDeviceInformation)])

        let sync = TLLV(tag: .sync, value: [0, 0, 0, 0] + bytes(24), using: &random)
        let ordinary = try SPCPayload(parsing: rest + sync.encoded)
        #expect(ordinary.request.sync == nil)
        #expect(ordinary.request.anomalies.isEmpty)
        #expect(ordinary.blocks[.sync] == sync)
    }

    @Test("A flipped bit in a length is refused, or changes a value, or hides a block")
    func flippedBlockLengths() throws {
        let payload = Samples.spcPayload
        let blocks = try TLLVSequence(parsing: payload)
        for block in blocks {
            for bit in 0..<64 {
                var wrong = payload
                wrong[block.offset + 8 + bit / 8] ^= 0x80 >> UInt8(bit % 8)
                guard let parsed = try? SPCPayload(parsing: wrong) else { continue }
                #expect(parsed.blocks.encoded == wrong)
                if bit < 32 {
                    // A longer block includes its neighbors as padding, which Table 2-2 allows.
                    #expect(parsed.blocks.count < blocks.count, "bit \(bit) of the block length of \(block.tag)")
                } else {
                    let variable: Set<TLLVTag> = [
                        .assetID, .tagReturnRequest, .protocolVersionsSupported, .deviceIdentity, .deviceInfo,
                        .securityLevelReport, .vmDeviceInformation,
                        // A Sync block of a wrong length is treated as absent.
                        .sync,
                    ]
                    #expect(variable.contains(block.tag), "bit \(bit - 32) of the value length of \(block.tag)")
                    #expect(parsed.blocks[block.tag]?.value.count != block.value.count)
                }
            }
        }
    }
}
