import Foundation

/// How many files and connections a process may have open.
enum FileLimit {
    /// Takes all that the system gives: thousands of connections are more files than a shell lets a process open.
    static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
