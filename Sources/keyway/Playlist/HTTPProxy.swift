import Foundation

/// The proxy that the environment names.
enum HTTPProxy {
    /// A proxy cannot reach this machine's own ports. To be called before requests are made at the same time.
    static func exemptThisMachine() {
        let known = ProcessInfo.processInfo.environment["no_proxy"] ?? ProcessInfo.processInfo.environment["NO_PROXY"]
        setenv("no_proxy", ((known.map { [$0] } ?? []) + ["localhost", "127.0.0.1", "::1"]).joined(separator: ","), 1)
    }
}
