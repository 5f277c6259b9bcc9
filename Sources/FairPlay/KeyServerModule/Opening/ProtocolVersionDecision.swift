/// The decision whether the server accepts the protocol versions of an SPC (Tables 2-8 and 2-9).
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
/// In general, the device must use the newest version that both sides support.
public enum ProtocolVersionDecision: Sendable, Hashable {
    /// Accept the request.
    case serve
    /// Accept the request; the device supports this version, which is newer than all versions of the server.
    case serveOutdated(newest: UInt32)
    /// Refuse the request: the sides have no common version, or one side does not support the version in use.
    case mismatch
    /// Refuse the request: both sides support a newer version than the one in use, so the SPC may have been modified.
    case downgrade

    /// Creates the decision from the versions of the server, the versions of the device, and the version in use.
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
