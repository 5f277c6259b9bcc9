import Foundation

/// The proxy that the environment names.
enum HTTPProxy {
    /// Exempts this machine, whose own ports a proxy cannot reach. To be called before requests are made at the same time.
    static func exemptThisMachine() {
        let environment = ProcessInfo.processInfo.environment
        setenv("no_proxy", exemptions(with: environment["no_proxy"] ?? environment["NO_PROXY"]), 1)
    }

    /// This machine's names besides those that are exempted already.
    static func exemptions(with known: String?) -> String {
        // The star means every host, but only where it stands alone.
        guard let known, known != "*" else { return known ?? thisMachine.joined(separator: ",") }
        let names = known.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return (names + thisMachine.filter { !names.contains($0) }).joined(separator: ",")
    }

    private static let thisMachine = ["localhost", "127.0.0.1", "::1"]
}
