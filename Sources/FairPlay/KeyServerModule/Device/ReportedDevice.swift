public import FPSMessages

/// What an SPC says of the device, its blocks weighed against each other: Device Identity outranks Device Info, the
/// Security Level Report outranks the capability bits, and the Kext Deny List TLLV outranks the field in the report.
///
/// All of it is the device's own word, and none of it is authenticated but HU, which is not here: it lies in the encrypted
/// [SK...R1]. So values that no device reports are taken for damage: such a value counts as not reported.
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
    /// The oldest OS version of all blocks that report one; nil where none does, or one cannot be a version.
    let oldestOSVersion: OSVersion?
    /// The security level, before a Mac's Kext Deny List is looked at; nil where the device says nothing.
    public let securityLevel: SecurityLevel?
    /// The version of a Mac's Kext Deny List; nil where none is reported, and 0 where it cannot be one.
    public let kextDenyListVersion: UInt32?
    /// Whether the device runs in a virtual machine, or says so in a version that cannot be read.
    public let isVirtualMachine: Bool
    /// Where the content will be shown.
    public let route: Route
    /// What the device can enforce.
    public let capabilities: Capabilities
    /// The rules whose own block the SPC holds: see ``LicensePolicy/requiredReports``.
    public let reports: Set<LicensePolicy.ReportedRule>
    /// What the device has reported against itself before.
    public private(set) var earlier = EarlierReports()

    /// The Kext Deny List is at version 31 after many years. A block that was damaged gives any number of 32 bits.
    private static let latestKextDenyList: UInt32 = 65_535

    /// Weighs an SPC's blocks.
    public init(_ request: SPCRequest) {
        let identity = request.deviceIdentity
        let infoKind = request.deviceInfo.flatMap { Self.kind(of: $0.deviceType) }
        let identityKind = identity.flatMap { Self.kind(of: $0.deviceClass) }
        kind = identityKind ?? infoKind ?? .unknown
        deviceClass = identity?.deviceClass
        // A zero version means that none is reported.
        let versions = [identity?.osVersion, request.deviceInfo?.osVersion].compactMap { $0 }.filter {
            $0.rawValue != 0
        }
        osVersion = versions.first.flatMap { $0.isPlausible ? $0 : nil }
        oldestOSVersion = versions.allSatisfy(\.isPlausible) ? versions.min() : nil
        // No feature has a bit from 64 on.
        capabilities = request.capabilities.flatMap { $0.high == 0 ? $0 : nil } ?? Capabilities([])
        if let report = request.securityLevelReport {
            // A level that the guide does not list says nothing.
            securityLevel = [.baseline, .main].contains(report.level) ? report.level : nil
        } else if capabilities.has(.securityLevelMain) {
            securityLevel = .main
        } else {
            securityLevel = capabilities.has(.securityLevelBaseline) ? .baseline : nil
        }
        // Devices that have no such list report 0 in the field.
        let listed = request.securityLevelReport.flatMap { $0.kextDenyListVersion == 0 ? nil : $0.kextDenyListVersion }
        kextDenyListVersion = (request.kextDenyListVersion?.version ?? listed).map {
            $0 <= Self.latestKextDenyList ? $0 : 0
        }
        // Only version 0 says that a device is no virtual machine; one that cannot be read does not.
        isVirtualMachine =
            request.vmDeviceInformation?.isVirtualMachine
            ?? request.oddities.contains(.unknownVersion(.vmDeviceInformation))
        switch request.streamingIndicator {
        case StreamingIndicator.airPlay: route = .airPlay
        case StreamingIndicator.digitalAVAdapter: route = .digitalAVAdapter
        default: route = .local
        }
        var reports: Set<LicensePolicy.ReportedRule> = []
        if request.vmDeviceInformation != nil { reports.insert(.virtualMachines) }
        if kind != .unknown, osVersion != nil { reports.insert(.osVersions) }
        if request.securityLevelReport != nil { reports.insert(.securityLevel) }
        // The guide has any other number for the device itself. Devices send 0.
        if let indicator = request.streamingIndicator, route != .local || indicator.rawValue == 0 {
            reports.formUnion([.airplay, .adapter])
        }
        self.reports = reports
    }

    /// The same device, bound by what it has reported before.
    public func bound(by earlier: EarlierReports) -> ReportedDevice {
        var device = self
        device.earlier = earlier
        return device
    }

    /// The kinds that the device has said it is, now and before, as far as it said.
    var kinds: Set<Kind> { earlier.kinds.union(kind == .unknown ? [] : [kind]) }

    /// The security level that counts: a device whose Kext Deny List is older than `minimumKDL`, and a Mac which does not
    /// report one, is at most Baseline. A list counts whatever the device says it is.
    public func effectiveSecurityLevel(minimumKDL: UInt32) -> SecurityLevel? {
        guard securityLevel == .main else { return securityLevel }
        if earlier.securityLevel == .baseline { return .baseline }
        let versions = [kextDenyListVersion, earlier.kextDenyListVersion].compactMap { $0 }
        if let oldest = versions.min() { return oldest < minimumKDL ? .baseline : .main }
        return kinds.contains(.apple(.appleDesktop)) && minimumKDL > 0 ? .baseline : .main
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
