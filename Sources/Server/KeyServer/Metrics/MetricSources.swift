import Glibc
import Synchronization

/// The sources of the metrics that are read when Prometheus scrapes them.
package struct MetricSources: Sendable {
    /// A certificate with an expiry date.
    package struct Certificate: Sendable {
        /// The purpose of a certificate.
        package enum Use: String, Sendable {
            /// A FairPlay application certificate.
            case fairPlay = "fairplay"
            /// The TLS certificate of the server's listeners.
            case tls
        }

        let use: Use
        let name: String
        let expiry: Int64

        /// Creates a certificate.
        ///
        /// - Parameters:
        ///   - name: The bundle's name, or another name that is unique for this use.
        ///   - expiry: The expiry time, in Unix seconds.
        package init(_ use: Use, name: String, expiry: Int64) {
            self.use = use
            self.name = name
            self.expiry = expiry
        }
    }

    /// The version of the program.
    package var version = ""
    /// Returns the number of requests that wait for a thread.
    package var queueDepth: @Sendable () -> Int = { 0 }
    /// Returns the number of active leases; nil if the store does not provide it.
    package var activeLeases: @Sendable () async -> Int? = { nil }
    /// Returns all certificates in use.
    package var certificates: @Sendable () -> [Certificate] = { [] }
    /// Returns the counters of the plug-ins that run in processes of their own, with the names of their bundles.
    package var plugins: @Sendable () -> [(bundle: String, counters: PluginCounters)] = { [] }
    /// Returns the condition of the playback authorizer.
    package var authorizer: @Sendable () -> AuthorizerCondition = { AuthorizerCondition() }
    /// The path of the data folder, for the free disk space; nil if the database is not in it.
    package var dataFolder: String?
    /// Returns the current time, in milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = systemMilliseconds

    /// Creates sources with default values.
    package init() {}

    /// The metrics of these sources.
    var families: [MetricReading] {
        let (version, authorizer, certificates, clock) = (version, authorizer, certificates, clock)
        let (queueDepth, activeLeases, folder) = (queueDepth, activeLeases, dataFolder)
        return [
            MetricReading("keyway_build_info", "Always 1; the label contains the version.", labels: ["version"]) {
                [([version], 1)]
            },
            MetricReading("keyway_queue_depth", "License requests waiting for a thread.") { Double(queueDepth()) },
            MetricReading("keyway_active_leases", "Leases that have not expired.") {
                await activeLeases().map(Double.init)
            },
            MetricReading(
                "keyway_certificate_expiry_seconds",
                "Seconds until a certificate expires, by use (fairplay, tls) and name; negative after it has expired.",
                labels: ["use", "name"]
            ) {
                certificates().map { ([$0.use.rawValue, $0.name], Double($0.expiry) - Double(clock()) / 1_000) }
            },
            plugin("calls", "Calls to DASk plug-ins in processes of their own, by bundle.") {
                $0.calls.load(ordering: .relaxed)
            },
            plugin("failures", "Calls that failed because of a DASk plug-in or its process, by bundle.") {
                $0.failures.load(ordering: .relaxed)
            },
            plugin("deadlines", "Calls that a DASk plug-in did not answer in time, by bundle.") {
                $0.deadlines.load(ordering: .relaxed)
            },
            plugin("restarts", "Starts of a DASk plug-in's process after the first, by bundle.") {
                $0.restarts.load(ordering: .relaxed)
            },
            MetricReading(
                "keyway_jwks_age_seconds",
                "Seconds since an issuer's key set was last read or fetched successfully.",
                labels: ["issuer"]
            ) {
                authorizer().keyAges.sorted { $0.key < $1.key }.map { ([$0.key], $0.value / .seconds(1)) }
            },
            MetricReading(
                "keyway_webhook_breaker_state",
                "1 for the current state of the webhook's circuit breaker, 0 for the others.",
                labels: ["state"]
            ) {
                guard let state = authorizer().breaker else { return [] }
                return AuthorizerCondition.Breaker.allCases.map { ([$0.rawValue], $0 == state ? 1 : 0) }
            },
            MetricReading(
                "keyway_data_disk_free_bytes",
                "Free bytes on the disk of the data folder; absent if the database is not in it."
            ) { folder.flatMap(Self.freeBytes) },
        ]
    }

    private func plugin(
        _ name: String,
        _ help: String,
        _ counter: @escaping @Sendable (PluginCounters) -> Int
    ) -> MetricReading {
        MetricReading("keyway_plugin_\(name)_total", help, .counter, labels: ["bundle"]) { [plugins] in
            plugins().map { ([$0.bundle], Double(counter($0.counters))) }
        }
    }

    /// Returns the free space of a folder's file system that is available to users other than root, in bytes.
    private static func freeBytes(_ folder: String) -> Double? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return Double(status.f_bavail) * Double(status.f_frsize)
    }
}

/// A metric with the time of the latest event; absent until the first.
final class MetricTimestamp: MetricFamily {
    let description: MetricDescription
    private let last = Mutex<Int64?>(nil)

    init(_ name: String, _ help: String) {
        description = MetricDescription(name: name, kind: .gauge, labels: [], help: help)
    }

    /// Records an event.
    ///
    /// - Parameter milliseconds: The time of the event, in milliseconds since 1970.
    func set(_ milliseconds: Int64) { last.withLock { $0 = max($0 ?? milliseconds, milliseconds) } }

    func samples() -> [MetricSample] {
        guard let last = last.withLock({ $0 }) else { return [] }
        return [MetricSample(value: MetricNumber.text(Double(last) / 1_000))]
    }
}
