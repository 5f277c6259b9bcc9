import Glibc

/// Excludes this process's memory, which contains keys, from core dumps.
enum CoreDumps {
    /// Disables core dumps. A failure is ignored, because the server can run without this protection.
    static func disable() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
