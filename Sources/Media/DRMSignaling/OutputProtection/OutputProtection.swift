/// What a variant asks of a device and of the link to its display: HDCP-LEVEL and ALLOWED-CPC of EXT-X-STREAM-INF and
/// EXT-X-I-FRAME-STREAM-INF (RFC 8216bis, 4.4.6.2).
public struct OutputProtection: Hashable, Sendable {
    /// HDCP-LEVEL; nil leaves the attribute out.
    public var hdcp: HDCPRequirement?
    /// Which devices may play, by protection system. A system that is not here, or has no labels, restricts nobody.
    public var labels: [ProtectionSystem: [CPCLabel]]

    /// Makes a value.
    public init(hdcp: HDCPRequirement? = nil, labels: [ProtectionSystem: [CPCLabel]] = [:]) {
        self.hdcp = hdcp
        self.labels = labels
    }

    /// The value of ALLOWED-CPC, such as `com.apple.streamingkeydelivery:AppleMain/Main`; nil when nobody is restricted.
    ///
    /// - Parameter systems: Those whose keys the variant has: an entry for another would restrict nothing.
    public func allowedCPC(for systems: [ProtectionSystem]) -> String? {
        let entries = systems.compactMap { system -> String? in
            guard let labels = labels[system], !labels.isEmpty else { return nil }
            return system.keyFormat + ":" + labels.map(\.rawValue).joined(separator: "/")
        }
        return entries.isEmpty ? nil : entries.joined(separator: ",")
    }
}
