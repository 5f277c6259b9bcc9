import FPSCrypto
import FPSMessages
import TextCoding

extension BlockTables {
    /// The content types of SPC payloads (Table 2-4).
    static let spcContents: [any DescribedContent.Type] = [
        SessionKeyAndR1.self, SessionKeyAndR1Integrity.self, AntiReplaySeed.self, R2.self, TagReturnRequest.self,
        AssetID.self, TransactionID.self, ProtocolVersionsSupported.self, ProtocolVersionUsed.self,
        StreamingIndicator.self, MediaPlaybackState.self, Capabilities.self, DeviceIdentity.self, DeviceInfo.self,
        Sync.self, KextDenyListVersion.self, SecurityLevelReport.self, VMDeviceInformation.self,
    ]
}

extension SessionKeyAndR1: DescribedContent {
    var fields: [Field] { [Field("IV", .bytes(iv)), Field("encrypted payload", .bytes(encryptedPayload))] }
}

extension SessionKeyAndR1Integrity: DescribedContent {
    var fields: [Field] { [Field("integrity value", .bytes(bytes))] }
}

extension AntiReplaySeed: DescribedContent {
    var fields: [Field] { [Field("AR seed", .bytes(bytes))] }
}

extension R2: DescribedContent {
    var fields: [Field] { [Field("R2", .bytes(bytes))] }
}

extension TagReturnRequest: DescribedContent {
    var fields: [Field] {
        [Field("tags", .list(tags.map { $0.name ?? Hexadecimal.encode($0.rawValue, digits: 16) }))]
    }
}

extension AssetID: DescribedContent {
    var fields: [Field] {
        let text = String(validating: bytes, as: UTF8.self)
        return [Field("asset ID", .bytes(bytes))] + (text.map { [Field("as text", .text($0))] } ?? [])
    }
}

extension TransactionID: DescribedContent {
    var fields: [Field] { [Field("transaction ID", .identifier(number))] }
}

extension ProtocolVersionsSupported: DescribedContent {
    var fields: [Field] { [Field("versions", .list(versions.map(String.init)))] }
}

extension ProtocolVersionUsed: DescribedContent {
    var fields: [Field] { [Field("version", .number(version))] }
}

extension StreamingIndicator: DescribedContent {
    var fields: [Field] {
        // All other values have this meaning (Table 2-5).
        let name = name ?? "this device"
        return [Field("output", .named(name, number: .hexadecimal(rawValue, digits: 16)))]
    }
}

extension MediaPlaybackState: DescribedContent {
    var fields: [Field] {
        [
            Field("created", .time(Int64(creationDate))),
            Field("state", .named(state)),
            Field("session ID", .identifier(sessionID)),
        ]
    }
}

extension Capabilities: DescribedContent {
    var fields: [Field] {
        let names = bits.map { bit in Feature(rawValue: bit).map { "\($0.displayName) (\(bit))" } ?? "bit \(bit)" }
        return [
            Field("features", .list(names)),
            Field("bits from 64", .identifier(high)),
            Field("bits from 0", .identifier(low)),
        ]
    }
}

extension Capabilities.Feature {
    /// The name of the feature for output.
    var displayName: String {
        switch self {
        case .hdcpEnforcement: "HDCP enforcement"
        case .offlineKey: "Offline Key"
        case .secureInvalidation: "secure invalidation"
        case .offlineKeyVersion2: "Offline Key version 2"
        case .securityLevelBaseline: "security level Baseline"
        case .securityLevelMain: "security level Main"
        }
    }
}

extension DeviceIdentity: DescribedContent {
    var fields: [Field] {
        [
            Field("version", .number(version)),
            Field("device class", .named(deviceClass, decimal: true)),
            Field("vendor hash", .identifier(vendorHash)),
            Field("product hash", .identifier(productHash)),
            Field("FairPlay version, userland", .word(fairPlayVersionREE)),
            Field("FairPlay version, kernel", .word(fairPlayVersionTEE)),
            Field("OS version", .text(osVersion.text)),
        ]
    }
}

extension OSVersion {
    /// The version as major, minor and patch, and the number too if its first byte is not 0, as it should be.
    fileprivate var text: String {
        rawValue >> 24 == 0 ? description : "\(description) (0x\(Hexadecimal.encode(rawValue)))"
    }
}

extension DeviceInfo: DescribedContent {
    var fields: [Field] {
        [
            Field("device type", .named(deviceType)), Field("OS version", .text(osVersion.text)),
            Field("version", .number(1)),
        ]
    }
}

extension Sync: DescribedContent {
    var fields: [Field] {
        switch self {
        case .version1(let contentID, let expiry, let reserved):
            return [
                Field("version", .number(1 as UInt32)),
                Field("reserved", .number(reserved)),
                Field("content ID", .bytes(contentID)),
                Field("expires in", expiry.value),
            ]
        case .version2(let fields):
            return [
                Field("version", .number(2 as UInt32)),
                Field("reserved", .number(fields.reserved)),
                Field("server challenge", .identifier(fields.serverChallenge)),
                Field("flags", .text(fields.flags.description)),
                Field("title ID", .bytes(fields.titleID)),
                Field("expires in", fields.expiry.value),
                Field("records invalidated", .number(fields.invalidatedStreamIDs.count)),
                Field("invalidated stream IDs", .list(fields.invalidatedStreamIDs.map { Hexadecimal.encode($0) })),
            ]
        }
    }
}

extension Sync.Expiry {
    /// The seconds, and their meaning.
    fileprivate var value: FieldValue {
        switch self {
        case .expired: .seconds(rawValue, meaning: "expired")
        case .never: .seconds(rawValue, meaning: "never")
        default: .seconds(rawValue, meaning: duration(rawValue))
        }
    }
}

extension KextDenyListVersion: DescribedContent {
    var fields: [Field] { [Field("Kext Deny List version", .number(version))] }
}

extension SecurityLevelReport: DescribedContent {
    var fields: [Field] {
        let version = kextDenyListVersion.map { [Field("Kext Deny List version", .number($0))] } ?? []
        return [
            Field("version", .number(1)), Field("reserved", .number(reserved)),
            Field("security level", .named(level)),
        ] + version
    }
}

extension VMDeviceInformation: DescribedContent {
    var fields: [Field] {
        let sides = [("host", host), ("guest", guest)].flatMap { name, side in
            [
                Field("\(name) device class", .named(side.deviceClass, decimal: true)),
                Field("\(name) OS version", .text(side.osVersion.text)),
                Field("\(name) protocol version", .number(side.protocolVersion)),
            ]
        }
        return [
            Field("version", .number(isVirtualMachine ? 1 : 0)), Field("virtual machine", .flag(isVirtualMachine)),
        ] + sides
    }
}
