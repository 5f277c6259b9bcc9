package import KeyServerModule
package import KeyStore
import Synchronization

/// A loaded plug-in of a bundle.
package struct LoadedPlugin: Sendable {
    /// The declarations of the plug-in.
    package let summary: PluginSummary
    /// The method that yields the session key.
    package let derivation: CertificateBundle.KeyDerivation
    /// The provider for SPCs of version 3; nil if the plug-in does not provide one.
    package let wholeSPC: (any WholeSPCProvider)?
}

/// Loads the plug-ins of bundles, each in a process of its own or in this process, and counts their calls.
package final class PluginLoader: Sendable {
    private let settings: PluginProcessSettings
    private let inProcess: Set<String>
    private let counters = Mutex<[String: PluginCounters]>([:])
    private let report: @Sendable (_ bundle: String, _ event: String) -> Void

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - settings: How processes are started and bounded.
    ///   - inProcess: The names of the bundles whose plug-ins run in this process.
    ///   - report: Logs events of the processes, such as crashes. The texts contain no secret.
    package init(
        settings: PluginProcessSettings = PluginProcessSettings(),
        inProcess: Set<String> = [],
        report: @escaping @Sendable (_ bundle: String, _ event: String) -> Void = { _, _ in }
    ) {
        (self.settings, self.inProcess, self.report) = (settings, inProcess, report)
    }

    /// Loads the plug-in of a bundle.
    ///
    /// - Throws: ``BundleError`` with `plugin`.
    package func load(
        _ plugin: CertificateBundleRecord.Plugin,
        bundle: String
    ) throws(BundleError) -> LoadedPlugin {
        guard !inProcess.contains(bundle) else {
            let loaded = try DASkPlugin(
                path: plugin.path,
                configuration: plugin.configuration,
                ask: plugin.ask,
                provisioningData: plugin.provisioningData
            )
            return LoadedPlugin(summary: loaded.summary, derivation: loaded.derivation, wholeSPC: loaded.wholeSPC)
        }
        let report = report
        let loaded = try SeparatePlugin(
            PluginLoading(
                memory: settings.memory,
                path: plugin.path,
                configuration: plugin.configuration,
                ask: plugin.ask,
                provisioningData: plugin.provisioningData
            ),
            settings: settings,
            counters: counters(of: bundle),
            report: { report(bundle, $0) }
        )
        return LoadedPlugin(summary: loaded.summary, derivation: loaded.derivation, wholeSPC: loaded.wholeSPC)
    }

    /// The counters of all bundles whose plug-ins have run in a process of their own, by the bundle's name.
    package var allCounters: [(bundle: String, counters: PluginCounters)] {
        counters.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Returns the counters of a bundle, which continue when the bundle is replaced.
    private func counters(of bundle: String) -> PluginCounters {
        counters.withLock { counters in
            if let known = counters[bundle] { return known }
            let new = PluginCounters()
            counters[bundle] = new
            return new
        }
    }
}
