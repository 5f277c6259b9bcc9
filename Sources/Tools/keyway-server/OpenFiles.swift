import Glibc
import KeyServer

/// How many files, connections among them, this process may have open.
enum OpenFiles {
    /// What a server has open beside connections: the store, files of certificates, connections that it opens itself.
    private static let others = 128

    /// Takes what the system allows: the usual soft limit of 1,024 is for programs that use `select`, which this is not.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// What to say when the listeners may take more connections than files can be open; nil when they may not.
    static func warning(about configuration: ServerConfiguration) -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        let listeners = configuration.admin.listen == nil ? 1 : 2
        let needed = listeners * (configuration.limits.connections + ConnectionLimiter.healthConnections) + others
        guard needed > limit.rlim_cur else { return nil }
        return
            "limits.connections: \(configuration.limits.connections) connections on each listener need \(needed) open files, and "
            + "this process may have \(limit.rlim_cur): lower it, or raise LimitNOFILE of the service (`ulimit -Hn` in a shell)"
    }
}
