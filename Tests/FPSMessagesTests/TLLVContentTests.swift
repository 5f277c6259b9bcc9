import ByteCoding
import FPSMessages
import Testing

@Suite("Parsing and writing TLLVs")
struct TLLVContentTests {
    private func roundTrip<Content: TLLVContent>(_ content: Content, extraPadding: Int) throws {
        var random = SplitMix64()
        let block = content.block(extraPadding: extraPadding, using: &random)
        #expect(block.tag == Content.tag)
        #expect(block.encoded.count.isMultiple(of: 16))
        #expect(block.padding.count >= 16 * extraPadding)
        #expect(!block.hasUniformPadding)
        let parsed = try #require(try TLLVSequence(parsing: Array(block.encoded))[Content.tag])
        #expect(parsed == block)
        #expect(try Content(parsed) == content)
        #expect(try Content(parsed).encodedValue == content.encodedValue)
    }

    @Test("Every value round-trips with any padding", arguments: 0..<Samples.all.count)
    func roundTrips(sample: Int) throws {
        for extraPadding in [0, 1, 7] { try roundTrip(Samples.all[sample], extraPadding: extraPadding) }
    }

    private func reject<Content: TLLVContent>(_: Content.Type, value: [UInt8]) -> ParseError? {
        var random = SplitMix64()
        let block = TLLV(tag: Content.tag, value: value, using: &random)
        return parseError { () throws(ParseError) in _ = try Content(block) }
    }

    @Test("A value with the wrong size is refused with the name of its tag", arguments: 0..<Samples.all.count)
    func wrongSizes(sample: Int) {
        func check<Content: TLLVContent>(_ content: Content) {
            let value = content.encodedValue
            for count in 0..<value.count + 24 where !Content.valueLengths.allows(count) {
                let wrong = Array((value + bytes(24)).prefix(count))
                let error = reject(Content.self, value: wrong)
                #expect(error?.code == .invalidValueLength, "\(Content.tag) of \(count) bytes")
                #expect(error?.reading.contains("\(Content.tag)") == true)
            }
        }
        check(Samples.all[sample])
    }

    @Test("Blocks that describe a device can have additional bytes", arguments: [1, 4, 33])
    func grownBlocks(by count: Int) throws {
        var random = SplitMix64()
        let report = SecurityLevelReport(level: .main, kextDenyListVersion: 31)
        let grown = TLLV(tag: .securityLevelReport, value: report.encodedValue + bytes(count), using: &random)
        #expect(try SecurityLevelReport(grown) == report)
        #expect(grown.value.count == 20 + count)
    }

    @Test("Each version of Sync and Offline Key requires its size")
    func versionedSizes() {
        let sync1 = Sync.version1(contentID: bytes(16), expiry: .never).encodedValue
        #expect(reject(Sync.self, value: sync1 + bytes(20))?.code == .invalidValueLength)
        let sync2 = Sync.version2(.init(serverChallenge: 1, flags: [], titleID: bytes(16), expiry: .never)).encodedValue
        #expect(reject(Sync.self, value: sync2 + bytes(15))?.code == .invalidValueLength)
        #expect(reject(Sync.self, value: Array(sync2.prefix(28)))?.code == .invalidValueLength)
        let offline1 = OfflineKey(streamID: bytes(16), storage: 1, playback: 1, titleID: nil).encodedValue
        #expect(reject(OfflineKey.self, value: offline1 + bytes(16))?.code == .invalidValueLength)
        let offline2 = OfflineKey(streamID: bytes(16), storage: 1, playback: 1, titleID: bytes(16)).encodedValue
        #expect(reject(OfflineKey.self, value: Array(offline2.prefix(32)))?.code == .invalidValueLength)
    }

    @Test("Unknown versions and wrong sizes have different errors")
    func unknownVersions() {
        var info = DeviceInfo(deviceType: .mac, osVersion: OSVersion(15)).encodedValue
        info[15] = 2
        #expect(reject(DeviceInfo.self, value: info)?.code == .unknownTLLVVersion)
        #expect(reject(DeviceInfo.self, value: info + bytes(16))?.code == .unknownTLLVVersion)
        #expect(reject(DeviceInfo.self, value: info)?.offset == 16 + 12)
        for type in [Sync.self, OfflineKey.self, SecurityLevelReport.self] as [any TLLVContent.Type] {
            func check<Content: TLLVContent>(_: Content.Type) {
                #expect(reject(Content.self, value: [0, 0, 0, 9] + bytes(24))?.code == .unknownTLLVVersion)
            }
            check(type)
        }
    }

    @Test("A duration must have one of the five key types and the fixed reserved value")
    func duration() {
        let good = ContentKeyDuration(lease: 1, keyType: .lease).encodedValue
        var wrongType = good
        wrongType[8] ^= 1
        #expect(reject(ContentKeyDuration.self, value: wrongType)?.code == .invalidValue)
        #expect(reject(ContentKeyDuration.self, value: wrongType)?.offset == 16 + 8)
        var wrongWord = good
        wrongWord[15] ^= 1
        #expect(reject(ContentKeyDuration.self, value: wrongWord)?.code == .invalidValue)
        #expect(reject(ContentKeyDuration.self, value: wrongWord)?.offset == 16 + 12)
    }

    @Test("HDCP is written with 16 bytes and also accepted with 8")
    func hdcp() throws {
        var random = SplitMix64()
        #expect(HDCPEnforcement(.type0, using: &random).encodedValue.count == 16)
        let short = TLLV(
            tag: .hdcpEnforcement,
            value: [0x28, 0x5a, 0x08, 0x63, 0xbb, 0xa8, 0xe1, 0xd3],
            using: &random
        )
        #expect(try HDCPEnforcement(short).level == .type1)
    }

    @Test("The description of R1 does not contain its bytes")
    func secrecy() {
        let r1 = R1(bytes(44))
        var dumped = ""
        dump(r1, to: &dumped)
        for text in ["\(r1)", String(reflecting: r1), dumped] {
            #expect(!text.contains("44, 43"))
            #expect(!text.contains("0x"))
            #expect(!text.contains("[1"))
        }
        #expect("\(r1)" == "R1(44 bytes)")
    }

    @Test("Operating system versions are parsed strictly and compared by their parts")
    func osVersions() {
        #expect(OSVersion("15.0.0") == OSVersion(15))
        #expect(OSVersion("15.4") == OSVersion(15, 4))
        #expect(OSVersion("26") == OSVersion(26))
        #expect(OSVersion(rawValue: 0x000f_0402).description == "15.4.2")
        #expect(OSVersion(15, 10) > OSVersion(15, 9, 255))
        for wrong in ["", ".", "15.", "15..1", "256", "1.2.3.4", "-1", "+1", "15 ", "15.x"] {
            #expect(OSVersion(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Capabilities contain the six features and the high bits")
    func capabilities() {
        let all = Capabilities(Set(Capabilities.Feature.allCases))
        #expect(all.low == 0b11_1111)
        #expect(Capabilities(high: 1 << 63, low: 1).bits == [0, 127])
    }
}
