public import FPSMessages

/// What a device has reported against itself in earlier SPCs. Blocks of an SPC can be damaged on its way, and a missing block
/// is good news to most rules; so what was reported once binds the device for a time.
public struct EarlierReports: Sendable, Hashable {
    /// Whether it was a virtual machine.
    public var isVirtualMachine: Bool
    /// What kinds of device it said it was.
    public var kinds: Set<ReportedDevice.Kind>
    /// The oldest Kext Deny List.
    public var kextDenyListVersion: UInt32?
    /// The lowest security level.
    public var securityLevel: SecurityLevel?

    /// Takes what was reported; nothing by default.
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
