/// The requirements of a variant on the device and on the link to its display: HDCP-LEVEL and ALLOWED-CPC of
/// EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF (RFC 8216bis, 4.4.6.2).
public struct OutputProtection: Hashable, Sendable {
    /// The HDCP-LEVEL; nil to omit the attribute.
    public var hdcp: HDCPRequirement?
    /// The device classes allowed to play the variant, by protection system. A system without labels has no
    /// restriction.
    public var labels: [ProtectionSystem: [CPCLabel]]

    /// Creates an output protection.
    public init(hdcp: HDCPRequirement? = nil, labels: [ProtectionSystem: [CPCLabel]] = [:]) {
        self.hdcp = hdcp
        self.labels = labels
    }

    /// Returns the value of ALLOWED-CPC, such as `com.apple.streamingkeydelivery:AppleMain/Main`; nil without
    /// restrictions.
    ///
    /// - Parameter systems: The systems for which the variant's keys are signaled; entries for other systems have no
    ///   effect.
    public func allowedCPC(for systems: [ProtectionSystem]) -> String? {
        let entries = systems.compactMap { system -> String? in
            guard let labels = labels[system], !labels.isEmpty else { return nil }
            return system.keyFormat + ":" + labels.map(\.rawValue).joined(separator: "/")
        }
        return entries.isEmpty ? nil : entries.joined(separator: ",")
    }
}
