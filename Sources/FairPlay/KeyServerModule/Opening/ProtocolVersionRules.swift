/// Whether the protocol versions of an SPC are served (Tables 2-8 and 2-9).
///
///     server   device   used   decision
///     1        1        1      serve
///     1, 2     1        1      serve
///     1, 2     1, 2     2      serve
///     2        1, 2     2      serve
///     1        1, 2     1      serve, and note that a newer version exists
///     2        1        1      refuse: mismatch
///     1, 2     1, 2     1      refuse: downgrade
///
/// In general: the device must use the newest version that both support.
public enum ProtocolVersionDecision: Sendable, Hashable {
    /// Serve.
    case serve
    /// Serve; the device supports this version, which is newer than any of the server's.
    case serveOutdated(newest: UInt32)
    /// Refuse: no version in common, or one in use that one side does not have.
    case mismatch
    /// Refuse: both have a newer version than the one in use, so somebody may have tampered.
    case downgrade

    /// Decides.
    public init(server: Set<UInt32>, supported: Set<UInt32>, used: UInt32) {
        guard server.contains(used), supported.contains(used) else {
            self = .mismatch
            return
        }
        let newestOfDevice = supported.max() ?? used
        if used < server.intersection(supported).max() ?? used {
            self = .downgrade
        } else if newestOfDevice > server.max() ?? used {
            self = .serveOutdated(newest: newestOfDevice)
        } else {
            self = .serve
        }
    }
}
