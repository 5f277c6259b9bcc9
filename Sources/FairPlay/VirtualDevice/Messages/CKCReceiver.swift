/// The properties of a device that determine which CKCs it accepts, as its SPC reports them.
package struct CKCReceiver: Sendable, Equatable {
    /// The capability bits 0 to 63 (Table 3-2); empty if the SPC has no Capabilities block.
    let capabilities: DeviceProfile.Capabilities
    /// The security level of the Security Level Report; without a known level there, that of the capability bits 4 and
    /// 5; nil if neither reports a level.
    let securityLevel: DeviceProfile.SecurityLevel?

    /// Creates the properties from the blocks of an SPC.
    ///
    /// - Parameters:
    ///   - capabilities: the capability bits 0 to 63; nil if the SPC has no Capabilities block.
    ///   - reportedLevel: the level of the Security Level Report, 8 bytes; nil if the SPC has no such block.
    package init(capabilities: UInt64?, reportedLevel: UInt64?) {
        let bits = DeviceProfile.Capabilities(rawValue: capabilities ?? 0)
        self.capabilities = bits
        securityLevel =
            reportedLevel.flatMap { DeviceProfile.SecurityLevel(rawValue: $0) }
            ?? (bits.contains(.securityLevelMain) ? .main : bits.contains(.securityLevelBaseline) ? .baseline : nil)
    }

    /// Creates the properties of a virtual device. A device that reports no level, or a higher level than its own,
    /// has its own level.
    init(_ profile: DeviceProfile) {
        let reported = CKCReceiver(
            capabilities: profile.capabilities?.rawValue,
            reportedLevel: profile.reportsSecurityLevel ? profile.securityLevel.rawValue : nil
        )
        capabilities = reported.capabilities
        securityLevel = profile.securityLevel == .main ? reported.securityLevel ?? .main : .baseline
    }
}
