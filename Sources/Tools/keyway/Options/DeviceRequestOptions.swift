import ArgumentParser
import TextCoding
import ToolSupport
import VirtualDevice

/// The options that determine the content of an SPC, in addition to the device profile.
struct DeviceRequestOptions: ParsableArguments {
    @Option(
        name: .customLong("playback-state"),
        help: .init("The playback state that the SPC reports.", valueName: "state")
    )
    var state = PlaybackStateArgument.ready

    @Option(
        help: .init(
            "The streaming indicator: local, airplay, adapter, or 0x and 16 hexadecimal digits. A number other than "
                + "those of AirPlay and the adapter means local playback. (default: that of the profile)",
            valueName: "indicator"
        )
    )
    var streamingIndicator: StreamingIndicatorArgument?

    @Option(
        help: .init(
            "The capabilities, separated by commas: \(CapabilityArgument.names), numbers of bits from 0 to 63, or none. "
                + "(default: those of the profile)",
            valueName: "list"
        )
    )
    var capabilities: CommaList<CapabilityArgument>?

    @Option(
        name: .customLong("security-level"),
        help: .init("The security level of the device. (default: that of the profile)", valueName: "level")
    )
    var securityLevel: SecurityLevelArgument?

    @Option(
        name: .customLong("kext-deny-list"),
        help: .init("The Kext Deny List version. (default: that of the profile)", valueName: "version")
    )
    var kextDenyList: UInt32?

    @Option(
        help: .init(
            "The optional blocks that the SPC does not contain, separated by commas. (default: those that the profile "
                + "does not have)",
            valueName: "blocks"
        )
    )
    var omit: CommaList<OptionalBlockArgument>?

    @OptionGroup var sync: DeviceSyncOptions

    /// True if the SPC requests no key: it is a Sync SPC, or reports that playback has halted.
    var requestsNoKey: Bool { sync.form != nil && sync.form != .empty || state == .halted }

    func validate() throws {
        if let name = omit?.elements.first(where: { isGiven($0) })?.rawValue {
            throw ValidationError("--omit \(name) cannot be combined with the option that sets this block.")
        }
    }

    private func isGiven(_ block: OptionalBlockArgument) -> Bool {
        switch block {
        case .streamingIndicator: streamingIndicator != nil
        case .mediaPlaybackState: state != .ready
        case .capabilities: capabilities != nil
        case .kextDenyListVersion: kextDenyList != nil
        case .sync: sync.form != nil
        case .transactionID, .deviceIdentity, .deviceInfo, .securityLevelReport, .vmDeviceInformation: false
        }
    }

    /// Applies the options to a profile.
    func apply(to profile: inout DeviceProfile) {
        if let capabilities { profile.capabilities = capabilities.elements.reduce(into: []) { $0.formUnion($1.bits) } }
        if let securityLevel { profile.securityLevel = securityLevel.level }
        if let kextDenyList { profile.kextDenyListVersion = kextDenyList }
        for block in omit?.elements ?? [] { block.remove(from: &profile) }
    }

    /// Returns the options of the request.
    func requestOptions() throws(CommandFailure) -> FPSDevice.SPCOptions {
        var options = FPSDevice.SPCOptions(playbackState: state.state, output: streamingIndicator?.output)
        if let number = streamingIndicator?.number { options.mutations.append(.streamingIndicator(number)) }
        if let report = try sync.report() { options.mutations.append(.sync(report)) }
        for block in omit?.elements ?? [] {
            switch block {
            case .transactionID: options.mutations.append(.omitting(.transactionID))
            case .streamingIndicator: options.mutations.append(.omitting(.streamingIndicator))
            default: break
            }
        }
        return options
    }
}

/// A playback state on the command line.
enum PlaybackStateArgument: String, ExpressibleByArgument, CaseIterable {
    case ready
    case playing
    case lease
    case halted

    /// The corresponding playback state of the device.
    var state: FPSDevice.PlaybackState {
        switch self {
        case .ready: .readyToStart
        case .playing: .playing
        case .lease: .leaseAboutToExpire
        case .halted: .halted
        }
    }
}

/// A streaming indicator on the command line.
struct StreamingIndicatorArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The output.
    let output: DeviceProfile.Output
    /// The number in the SPC, if it is not that of the output.
    let number: UInt64?

    init?(argument: String) {
        let names: [String: DeviceProfile.Output] = [
            "local": .local, "airplay": .airPlay, "adapter": .digitalAVAdapter,
        ]
        if let output = names[argument.lowercased()] {
            (self.output, number) = (output, nil)
            return
        }
        guard argument.hasPrefix("0x"), argument.utf8.count == 18,
            let value = UInt64(argument.dropFirst(2), radix: 16)
        else { return nil }
        output = DeviceProfile.Output(rawValue: value) ?? .local
        number = output.rawValue == value ? nil : value
    }
}

/// A capability on the command line: a name, or the number of a bit (Table 3-2).
struct CapabilityArgument: ExpressibleByArgument, Sendable {
    let bits: DeviceProfile.Capabilities

    private static let known: [(name: String, bits: DeviceProfile.Capabilities)] = [
        ("hdcp", .hdcpEnforcement), ("offline-key", .offlineKey), ("secure-invalidation", .secureInvalidation),
        ("offline-key-v2", .offlineKeyVersion2), ("baseline", .securityLevelBaseline), ("main", .securityLevelMain),
    ]
    /// The names, for the help.
    static let names = known.map(\.name).joined(separator: ", ")

    init?(argument: String) {
        if let (_, bits) = Self.known.first(where: { $0.name == argument.lowercased() }) {
            self.bits = bits
        } else if argument.lowercased() == "none" {
            bits = []
        } else if let bit = UInt64(argument), bit < 64 {
            bits = .init(rawValue: 1 << bit)
        } else {
            return nil
        }
    }
}

/// A security level of a device on the command line.
enum SecurityLevelArgument: String, ChoiceArgument {
    case baseline
    case main

    var level: DeviceProfile.SecurityLevel { self == .main ? .main : .baseline }
}

/// An optional block of an SPC on the command line.
enum OptionalBlockArgument: String, ChoiceArgument {
    case transactionID = "transaction-id"
    case streamingIndicator = "streaming-indicator"
    case mediaPlaybackState = "media-playback-state"
    case capabilities
    case deviceIdentity = "device-identity"
    case deviceInfo = "device-info"
    case sync
    case kextDenyListVersion = "kext-deny-list-version"
    case securityLevelReport = "security-level-report"
    case vmDeviceInformation = "vm-device-information"

    /// Changes a profile so that its SPCs do not contain the block. All profiles send a transaction ID and a streaming
    /// indicator.
    func remove(from profile: inout DeviceProfile) {
        switch self {
        case .transactionID, .streamingIndicator: break
        case .mediaPlaybackState: profile.sendsMediaPlaybackState = false
        case .capabilities: profile.capabilities = nil
        case .deviceIdentity: profile.identity = nil
        case .deviceInfo: profile.info = nil
        case .sync: profile.sendsEmptySync = false
        case .kextDenyListVersion: profile.kextDenyListVersion = nil
        case .securityLevelReport: profile.reportsSecurityLevel = false
        case .vmDeviceInformation: profile.virtualMachine = nil
        }
    }
}
