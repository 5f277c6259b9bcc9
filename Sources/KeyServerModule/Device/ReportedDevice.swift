public import FPSMessages

/// What an SPC says of the device, its blocks weighed against each other: Device Identity outranks Device Info, the
/// Security Level Report outranks the capability bits, and the Kext Deny List TLLV outranks the field in the report.
///
/// All of it is the device's own word. HU is not here: it lies in the encrypted [SK...R1].
public struct ReportedDevice: Sendable, Hashable {
    /// The kind of device.
    public enum Kind: Sendable, Hashable {
        /// An Apple device that a minimum OS version can be set for.
        case apple(LicensePolicy.AppleDevice)
        /// A device of another maker.
        case partner
        /// The device does not say, or not in words that the guide lists.
        case unknown
    }

    /// Where the content will be shown (Table 2-5).
    public enum Route: Sendable, Hashable {
        /// On the device that asks.
        case local
        /// By AirPlay.
        case airPlay
        /// Through an Apple digital AV adapter. HU is then the adapter's ID, and names no device.
        case digitalAVAdapter
    }

    /// The kind of device.
    public let kind: Kind
    /// The class that Device Identity reports, for the record.
    public let deviceClass: DeviceClass?
    /// The OS version; nil where the device does not report one, as partners' do not.
    public let osVersion: OSVersion?
    /// The security level, before a Mac's Kext Deny List is looked at; nil where the device says nothing.
    public let securityLevel: SecurityLevel?
    /// The version of a Mac's Kext Deny List.
    public let kextDenyListVersion: UInt32?
    /// Whether the device runs in a virtual machine, or says so in a version that cannot be read.
    public let isVirtualMachine: Bool
    /// Where the content will be shown.
    public let route: Route
    /// What the device can enforce.
    public let capabilities: Capabilities

    /// Weighs an SPC's blocks.
    public init(_ request: SPCRequest) {
        let identity = request.deviceIdentity
        let infoKind = request.deviceInfo.flatMap { Self.kind(of: $0.deviceType) }
        let identityKind = identity.flatMap { Self.kind(of: $0.deviceClass) }
        kind = identityKind ?? infoKind ?? .unknown
        deviceClass = identity?.deviceClass
        // A zero version means that none is reported.
        osVersion = [identity?.osVersion, request.deviceInfo?.osVersion].compactMap { $0 }.first { $0.rawValue != 0 }
        capabilities = request.capabilities ?? Capabilities([])
        if let report = request.securityLevelReport {
            // A level that the guide does not list says nothing.
            securityLevel = [.baseline, .main].contains(report.level) ? report.level : nil
        } else if capabilities.has(.securityLevelMain) {
            securityLevel = .main
        } else {
            securityLevel = capabilities.has(.securityLevelBaseline) ? .baseline : nil
        }
        kextDenyListVersion = request.kextDenyListVersion?.version ?? request.securityLevelReport?.kextDenyListVersion
        // Only version 0 says that a device is no virtual machine; one that cannot be read does not.
        isVirtualMachine =
            request.vmDeviceInformation?.isVirtualMachine
            ?? request.oddities.contains(.unknownVersion(.vmDeviceInformation))
        switch request.streamingIndicator {
        case StreamingIndicator.airPlay: route = .airPlay
        case StreamingIndicator.digitalAVAdapter: route = .digitalAVAdapter
        default: route = .local
        }
    }

    /// The security level that counts: a Mac whose Kext Deny List is older than `minimumKDL`, or which does not report
    /// one, is at most Baseline.
    public func effectiveSecurityLevel(minimumKDL: UInt32) -> SecurityLevel? {
        guard kind == .apple(.appleDesktop), securityLevel == .main else { return securityLevel }
        return (kextDenyListVersion ?? 0) < minimumKDL ? .baseline : .main
    }

    private static func kind(of deviceClass: DeviceClass) -> Kind? {
        switch deviceClass {
        case .appleLiving: .apple(.appleLiving)
        case .appleMobile: .apple(.appleMobile)
        case .appleDesktop: .apple(.appleDesktop)
        case .appleSpatial: .apple(.appleSpatial)
        case .partnerLiving, .partnerUnknown: .partner
        // An Apple Watch may report AppleUnknown here and its type in Device Info.
        default: nil
        }
    }

    private static func kind(of type: DeviceInfo.DeviceType) -> Kind? {
        switch type {
        case .mac: .apple(.appleDesktop)
        case .appleTV: .apple(.appleLiving)
        case .iOS: .apple(.appleMobile)
        case .appleWatch: .apple(.appleWatch)
        default: nil
        }
    }
}
