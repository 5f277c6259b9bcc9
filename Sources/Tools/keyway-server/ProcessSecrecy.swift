import Glibc

/// Keeps this process's memory, which holds keys, out of core dumps.
enum ProcessSecrecy {
    /// Best effort: a kernel that refuses is no reason not to serve.
    static func keepMemoryToItself() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
