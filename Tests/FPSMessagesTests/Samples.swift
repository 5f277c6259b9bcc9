import ByteCoding
import FPSMessages

/// A deterministic random number generator (SplitMix64), so that failures are reproducible.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}

func bytes(_ count: Int, from first: UInt8 = 1) -> [UInt8] {
    (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
}

/// A sample of every kind of value of each TLLV.
enum Samples {
    static let mandatoryInSPC: [any TLLVContent] = [
        SessionKeyAndR1(iv: bytes(16), encryptedPayload: bytes(96, from: 17)),
        SessionKeyAndR1Integrity(bytes(16)),
        AntiReplaySeed(bytes(16, from: 0x80)),
        R2(bytes(21)),
        TagReturnRequest([.transactionID, TLLVTag(rawValue: 0x0123_4567_89ab_cdef)]),
        AssetID(Array("skd://title-1/hd".utf8))!,
        TransactionID(0x0102_0304_0506_0708),
        ProtocolVersionsSupported([1, 2]),
        ProtocolVersionUsed(1),
    ]

    static let optionalInSPC: [any TLLVContent] = [
        StreamingIndicator.airPlay,
        MediaPlaybackState(creationDate: 1_790_000_000, state: .readyToStart, sessionID: 0xfeed),
        Capabilities([.hdcpEnforcement, .offlineKey, .offlineKeyVersion2]),
        DeviceIdentity(
            deviceClass: .appleMobile,
            vendorHash: 1,
            productHash: 2,
            fairPlayVersionREE: 3,
            fairPlayVersionTEE: 4,
            osVersion: OSVersion(26, 1)
        ),
        DeviceInfo(deviceType: .iOS, osVersion: OSVersion(26, 1)),
        Sync.version1(contentID: bytes(16), expiry: Sync.Expiry(rawValue: 3600)),
        KextDenyListVersion(31),
        SecurityLevelReport(level: .main, kextDenyListVersion: 31),
        VMDeviceInformation(
            isVirtualMachine: true,
            host: .init(deviceClass: .appleDesktop, osVersion: OSVersion(15, 4), protocolVersion: 1),
            guest: .init(deviceClass: .appleDesktop, osVersion: OSVersion(15), protocolVersion: 1)
        ),
    ]

    static let inCKC: [any TLLVContent] = [
        EncryptedContentKey(iv: bytes(16), encryptedKey: bytes(16, from: 0x40)),
        R1(bytes(44)),
        ContentKeyDuration(lease: 600, rental: 172_800, keyType: .leaseAndRental),
        RequiredSecurityLevel(.main),
        hdcp,
    ]

    static let others: [any TLLVContent] = [
        OfflineKey(streamID: bytes(16), storage: 2_592_000, playback: 86_400, titleID: nil),
        OfflineKey(streamID: bytes(16), storage: 2_592_000, playback: 0, titleID: bytes(16, from: 99)),
        SecurityLevelReport(level: .baseline, kextDenyListVersion: nil, reserved: 7),
        TagReturnRequest([]),
        AssetID(bytes(2))!,
        AssetID(bytes(200))!,
        Capabilities(high: .max, low: .max),
        StreamingIndicator(rawValue: 0),
        MediaPlaybackState(creationDate: .max, state: .halted, sessionID: .max),
        Sync.version2(
            .init(
                serverChallenge: 0xc0ffee,
                flags: [.secureInvalidation, .success],
                titleID: bytes(16),
                expiry: .never,
                invalidatedStreamIDs: [bytes(16, from: 3), bytes(16, from: 4)]
            )
        ),
        Sync.version2(.init(serverChallenge: 0, flags: [], titleID: bytes(16), expiry: .expired)),
    ]

    private static let hdcp: HDCPEnforcement = {
        var random = SplitMix64()
        return HDCPEnforcement(.type1, using: &random)
    }()

    static var all: [any TLLVContent] { mandatoryInSPC + optionalInSPC + inCKC + others }

    /// Returns the unencrypted payload with these contents, in order.
    static func payload(_ contents: [any TLLVContent], extraPadding: Int = 0) -> [UInt8] {
        var random = SplitMix64()
        return contents.flatMap { $0.block(extraPadding: extraPadding, using: &random).encoded }
    }

    static var spcPayload: [UInt8] { payload(mandatoryInSPC + optionalInSPC) }
    static var ckcPayload: [UInt8] { payload(inCKC) }
}

/// Returns the error that `body` throws, or nil.
func parseError(_ body: () throws(ParseError) -> Void) -> ParseError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
