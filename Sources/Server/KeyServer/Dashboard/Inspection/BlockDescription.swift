import FPSMessages
import FoundationEssentials
import TextCoding

/// Describes the contents of SPC blocks as text.
enum BlockDescription {
    /// The blocks that contain or reveal SK, R1 or HU.
    static let secret: Set<TLLVTag> = [.sessionKeyAndR1, .sessionKeyAndR1Integrity, .antiReplaySeed, .r2]

    /// Returns the description of a block; nil for secret blocks, and for those that the guide does not describe.
    static func text(for block: TLLV, in payload: SPCPayload) -> String? {
        let request = payload.request
        return switch block.tag {
        case .tagReturnRequest: payload.tagReturnRequest.tags.map(\.description).joined(separator: ", ")
        case .protocolVersionsSupported: list(payload.protocolVersionsSupported.versions)
        case .protocolVersionUsed: "\(payload.protocolVersionUsed.version)"
        case .assetID:
            String(validating: request.assetID.bytes, as: UTF8.self) ?? "0x" + Hexadecimal.encode(request.assetID.bytes)
        case .transactionID: request.transactionID.map { number($0.number) }
        case .streamingIndicator: request.streamingIndicator.map { "\($0)" }
        case .mediaPlaybackState: request.mediaPlaybackState.map(text)
        case .capabilities: request.capabilities.map(text)
        case .deviceIdentity: request.deviceIdentity.map { "\($0.deviceClass), OS \($0.osVersion)" }
        case .deviceInfo: request.deviceInfo.map { "\($0.deviceType), OS \($0.osVersion)" }
        case .sync: request.sync == nil ? "no report" : "a report on persistent keys"
        case .kextDenyListVersion: request.kextDenyListVersion.map { "\($0.version)" }
        case .securityLevelReport: request.securityLevelReport.map { "\($0.level)" }
        case .vmDeviceInformation:
            request.vmDeviceInformation.map { $0.isVirtualMachine ? "a virtual machine" : "not a virtual machine" }
        default: nil
        }
    }

    private static func text(_ state: MediaPlaybackState) -> String {
        let made = Timestamp.text(seconds: Int64(state.creationDate))
        return "\(state.state), created \(made), session \(number(state.sessionID))"
    }

    private static func text(_ capabilities: Capabilities) -> String {
        let names = Capabilities.Feature.allCases.filter { capabilities.has($0) }.map { "\($0)" }
        return "bits \(list(capabilities.bits)): \(names.joined(separator: ", "))"
    }

    private static func number(_ number: UInt64) -> String {
        Hexadecimal.encode(number)
    }

    private static func list(_ numbers: some Sequence<some BinaryInteger>) -> String {
        numbers.map { "\($0)" }.joined(separator: ", ")
    }
}
