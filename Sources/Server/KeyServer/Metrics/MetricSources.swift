import Glibc
import Synchronization

/// Where the metrics that are asked for when somebody looks come from.
package struct MetricSources: Sendable {
    /// A certificate that ends.
    package struct Certificate: Sendable {
        /// What it is for.
        package enum Use: String, Sendable {
            /// An application certificate for FairPlay.
            case fairPlay = "fairplay"
            /// The server's own, of its TLS listeners.
            case tls
        }

        let use: Use
        let name: String
        let expiry: Int64

        /// Names a certificate.
        ///
        /// - Parameters:
        ///   - name: the bundle's name, or what tells it from others of the same use.
        ///   - expiry: when it ends, in Unix seconds.
        package init(_ use: Use, name: String, expiry: Int64) {
            self.use = use
            self.name = name
            self.expiry = expiry
        }
    }

    /// The program's version.
    package var version = ""
    /// How much waits for a thread.
    package var queueDepth: @Sendable () -> Int = { 0 }
    /// How many leases have not run out; nil when the store does not say.
    package var activeLeases: @Sendable () async -> Int? = { nil }
    /// All certificates in use.
    package var certificates: @Sendable () -> [Certificate] = { [] }
    /// What decides who may ask depends on.
    package var authorizer: @Sendable () -> AuthorizerCondition = { AuthorizerCondition() }
    /// The folder whose disk holds the database; nil when the database is elsewhere.
    package var dataFolder: String?
    /// The time, in milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = systemMilliseconds

    /// Makes sources that know nothing.
    package init() {}

    /// All metrics of these sources.
    var families: [MetricReading] {
        let (version, authorizer, certificates, clock) = (version, authorizer, certificates, clock)
        let (queueDepth, activeLeases, folder) = (queueDepth, activeLeases, dataFolder)
        return [
            MetricReading("keyway_build_info", "Always 1; the label is the program's version.", labels: ["version"]) {
                [([version], 1)]
            },
            MetricReading("keyway_queue_depth", "License requests that wait for a thread.") { Double(queueDepth()) },
            MetricReading("keyway_active_leases", "Leases that have not run out.") {
                await activeLeases().map(Double.init)
            },
            MetricReading(
                "keyway_certificate_expiry_seconds",
                "Seconds until a certificate ends, by its use (fairplay, tls) and name; negative when it has ended.",
                labels: ["use", "name"]
            ) {
                certificates().map { ([$0.use.rawValue, $0.name], Double($0.expiry) - Double(clock()) / 1_000) }
            },
            MetricReading(
                "keyway_jwks_age_seconds",
                "Seconds since an issuer's keys were last read or fetched with success.",
                labels: ["issuer"]
            ) {
                authorizer().keyAges.sorted { $0.key < $1.key }.map { ([$0.key], $0.value / .seconds(1)) }
            },
            MetricReading(
                "keyway_webhook_breaker_state",
                "1 for the state that the webhook's circuit breaker is in, 0 for the others.",
                labels: ["state"]
            ) {
                guard let state = authorizer().breaker else { return [] }
                return AuthorizerCondition.Breaker.allCases.map { ([$0.rawValue], $0 == state ? 1 : 0) }
            },
            MetricReading(
                "keyway_data_disk_free_bytes",
                "Bytes that are free on the disk of the data folder; not with a database elsewhere."
            ) { folder.flatMap(Self.freeBytes) },
        ]
    }

    /// What a user other than root may still use of a folder's disk.
    private static func freeBytes(_ folder: String) -> Double? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return Double(status.f_bavail) * Double(status.f_frsize)
    }
}

/// The last time that something happened; left out while it never has.
final class MetricTimestamp: MetricFamily {
    let description: MetricDescription
    private let last = Mutex<Int64?>(nil)

    init(_ name: String, _ help: String) {
        description = MetricDescription(name: name, kind: .gauge, labels: [], help: help)
    }

    /// - Parameter milliseconds: the time, since 1970.
    func set(_ milliseconds: Int64) { last.withLock { $0 = max($0 ?? milliseconds, milliseconds) } }

    func samples() -> [MetricSample] {
        guard let last = last.withLock({ $0 }) else { return [] }
        return [MetricSample(value: MetricNumber.text(Double(last) / 1_000))]
    }
}
