import Glibc
import KeyServer
import TextCoding

/// The limit on open files, which include connections, of this process.
enum OpenFileLimit {
    /// The number of open files that are not client connections: the store, certificate files, and outgoing
    /// connections.
    private static let others = 128

    /// Raises the soft limit to the hard limit. The usual soft limit of 1,024 exists for programs that use `select`;
    /// this one does not.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Returns a warning if the listeners accept more connections than the process can have open files, nil otherwise.
    static func warning(about configuration: ServerConfiguration) -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let listeners = configuration.admin.listen == nil ? 1 : 2
        let needed = listeners * (configuration.limits.connections + ConnectionLimiter.healthConnections) + others
        guard needed > limit.rlim_cur else { return nil }
        return
            "limits.connections: \(configuration.limits.connections) connections on each listener "
            + "need \(counted(needed, "open file")), but the limit of this process is \(limit.rlim_cur): lower the "
            + "setting, or raise LimitNOFILE of the service (`ulimit -Hn` in a shell)"
    }
}
