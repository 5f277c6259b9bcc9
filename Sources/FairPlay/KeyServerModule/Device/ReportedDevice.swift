public import FPSMessages

/// The device's properties as reported in an SPC. If blocks differ, Device Identity takes precedence over Device Info,
/// the Security Level Report over the capability bits, and the Kext Deny List TLLV over the field in the report.
///
/// The device reports these properties itself, and they are not authenticated. (HU is authenticated, because it is in
/// the encrypted [SK...R1] block; it is not part of this type.) A value that no real device reports is treated as
/// damaged and counts as not reported.
public struct ReportedDevice: Sendable, Hashable {
    /// The kind of device.
    public enum Kind: Sendable, Hashable {
        /// An Apple device for which a policy can set a minimum OS version.
        case apple(LicensePolicy.AppleDevice)
        /// A device of another manufacturer.
        case partner
        /// The device does not report its kind, or reports a value that the guide does not list.
        case unknown
    }

    /// The place where the content will be displayed (Table 2-5).
    public enum Route: Sendable, Hashable {
        /// The requesting device.
        case local
        /// An AirPlay receiver.
        case airPlay
        /// A display behind an Apple digital AV adapter. HU is then the ID of the adapter and does not identify a
        /// device.
        case digitalAVAdapter
    }

    /// The kind of device.
    public let kind: Kind
    /// The class that Device Identity reports, for logging.
    public let deviceClass: DeviceClass?
    /// The OS version; nil if the device does not report one. Partner devices do not report an OS version.
    public let osVersion: OSVersion?
    /// The oldest OS version that a block reports; nil if no block reports one, or if a reported value is not
    /// plausible.
    let oldestOSVersion: OSVersion?
    /// The security level, before the Kext Deny List of a Mac is applied; nil if the device does not report a level.
    public let securityLevel: SecurityLevel?
    /// The version of a Mac's Kext Deny List; nil if no version is reported, 0 if the reported value is not plausible.
    public let kextDenyListVersion: UInt32?
    /// True if the device is a virtual machine, or reports VM Device Information in a version that cannot be parsed.
    public let isVirtualMachine: Bool
    /// The place where the content will be displayed.
    public let route: Route
    /// The features that the device can enforce.
    public let capabilities: Capabilities
    /// The rules whose block the SPC contains; see ``LicensePolicy/requiredReports``.
    public let reports: Set<LicensePolicy.ReportedRule>
    /// The restricting properties that the device reported in earlier SPCs.
    public private(set) var earlier = RestrictingReports()

    /// The highest plausible Kext Deny List version. The list is at version 31 after many years, while a damaged block
    /// can contain any 32-bit number.
    private static let latestKextDenyList: UInt32 = 65_535

    /// Reads the device's properties from an SPC's blocks.
    public init(_ request: SPCRequest) {
        let identity = request.deviceIdentity
        let infoKind = request.deviceInfo.flatMap { Self.kind(of: $0.deviceType) }
        let identityKind = identity.flatMap { Self.kind(of: $0.deviceClass) }
        kind = identityKind ?? infoKind ?? .unknown
        deviceClass = identity?.deviceClass
        // Version 0 means that the device does not report a version.
        let versions = [identity?.osVersion, request.deviceInfo?.osVersion].compactMap { $0 }.filter {
            $0.rawValue != 0
        }
        osVersion = versions.first.flatMap { $0.isPlausible ? $0 : nil }
        oldestOSVersion = versions.allSatisfy(\.isPlausible) ? versions.min() : nil
        // Bits 64 and higher are not assigned.
        capabilities = request.capabilities.flatMap { $0.high == 0 ? $0 : nil } ?? Capabilities([])
        if let report = request.securityLevelReport {
            // A level that the guide does not list counts as not reported.
            securityLevel = [.baseline, .main].contains(report.level) ? report.level : nil
        } else if capabilities.has(.securityLevelMain) {
            securityLevel = .main
        } else {
            securityLevel = capabilities.has(.securityLevelBaseline) ? .baseline : nil
        }
        // Devices without such a list report 0 in this field.
        let listed = request.securityLevelReport.flatMap { $0.kextDenyListVersion == 0 ? nil : $0.kextDenyListVersion }
        kextDenyListVersion = (request.kextDenyListVersion?.version ?? listed).map {
            $0 <= Self.latestKextDenyList ? $0 : 0
        }
        // VM Device Information in a version that cannot be parsed must not clear the device, so the device counts as a
        // virtual machine.
        isVirtualMachine =
            request.vmDeviceInformation?.isVirtualMachine
            ?? request.anomalies.contains(.unknownVersion(.vmDeviceInformation))
        switch request.streamingIndicator {
        case StreamingIndicator.airPlay: route = .airPlay
        case StreamingIndicator.digitalAVAdapter: route = .digitalAVAdapter
        default: route = .local
        }
        var reports: Set<LicensePolicy.ReportedRule> = []
        if request.vmDeviceInformation != nil { reports.insert(.virtualMachines) }
        if kind != .unknown, osVersion != nil { reports.insert(.osVersions) }
        if request.securityLevelReport != nil { reports.insert(.securityLevel) }
        // In the guide, any other number stands for the device itself. Devices send 0.
        if let indicator = request.streamingIndicator, route != .local || indicator.rawValue == 0 {
            reports.formUnion([.airplay, .adapter])
        }
        self.reports = reports
    }

    /// Returns the same device with the earlier reports applied.
    public func bound(by earlier: RestrictingReports) -> ReportedDevice {
        var device = self
        device.earlier = earlier
        return device
    }

    /// The kinds that the device reports now and reported earlier, without the unknown kind.
    var kinds: Set<Kind> { earlier.kinds.union(kind == .unknown ? [] : [kind]) }

    /// Returns the security level that applies: a device whose Kext Deny List is older than `minimumKDL`, and a Mac
    /// that does not report a list, is at most Baseline. A reported list applies to any kind of device.
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
