public import FPSMessages

/// The restricting properties that a device reported in earlier SPCs. An attacker can damage blocks of an SPC in
/// transit, and most rules allow a request with a missing block, so the server applies earlier reports to the device
/// for a time.
public struct RestrictingReports: Sendable, Hashable {
    /// True if the device reported that it is a virtual machine.
    public var isVirtualMachine: Bool
    /// The kinds of device that the device reported.
    public var kinds: Set<ReportedDevice.Kind>
    /// The oldest Kext Deny List version reported; nil if none was reported.
    public var kextDenyListVersion: UInt32?
    /// The lowest security level reported; nil if none was reported.
    public var securityLevel: SecurityLevel?

    /// Creates the earlier reports of a device; by default there are none.
    public init(
        isVirtualMachine: Bool = false,
        kinds: Set<ReportedDevice.Kind> = [],
        kextDenyListVersion: UInt32? = nil,
        securityLevel: SecurityLevel? = nil
    ) {
        self.isVirtualMachine = isVirtualMachine
        self.kinds = kinds
        self.kextDenyListVersion = kextDenyListVersion
        self.securityLevel = securityLevel
    }
}
