import Foundation

/// The limit of open files and connections of the process.
enum FileLimit {
    /// Raises the limit to the maximum: the default limit is too low for thousands of connections.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
