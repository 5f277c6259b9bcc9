package import KeyServerModule
package import KeyStore
import Synchronization

/// The certificate bundles in use, in the server's Key Server Module. They follow the store.
///
/// A request uses the same module from start to end: a decrypted SPC keeps its bundle.
package final class BundleCache: Sendable {
    /// The changes of a reload.
    package struct Change: Sendable, Equatable {
        /// The names of new and replaced bundles.
        package var added: [String] = []
        /// The names of bundles that are no longer in use.
        package var dropped: [String] = []
        /// The bundles that cannot be used, with the reason. Each is reported once, until the reason changes.
        package var skipped: [String: String] = [:]
    }

    private struct LoadedBundle {
        let record: CertificateBundleRecord
        let bundle: CertificateBundle
    }

    private struct ReloadState {
        var inUse: [String: LoadedBundle] = [:]
        var skipped: [String: String] = [:]
    }

    private let allowsDevelopment: Bool
    /// The loader of the bundles' plug-ins.
    let plugins: PluginLoader
    /// The state of the reload. The lock serializes reloads, because loading a plug-in may take long.
    private let reloadState = Mutex(ReloadState())
    private let current: Mutex<KSM>

    /// Creates the object without bundles; ``take(_:)`` sets them.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the module.
    ///   - allowsDevelopment: Whether bundles of kind development are used.
    ///   - plugins: The loader of the bundles' plug-ins.
    package init(
        configuration: KSM.Configuration,
        allowsDevelopment: Bool,
        plugins: PluginLoader = PluginLoader()
    ) {
        self.allowsDevelopment = allowsDevelopment
        self.plugins = plugins
        current = Mutex(KSM(configuration: configuration))
    }

    /// Creates the object with a module.
    package init(_ module: KSM) {
        allowsDevelopment = false
        plugins = PluginLoader()
        current = Mutex(module)
    }

    /// The current Key Server Module.
    package var module: KSM { current.withLock { $0 } }

    /// Replaces the bundles in use. A bundle whose record is unchanged is kept, with its loaded plug-in.
    ///
    /// This reads keys and loads plug-ins, so do not call it on an event loop.
    ///
    /// - Throws: ``BundleError`` if two bundles have the same certificate. The bundles in use are unchanged in this
    ///   case.
    package func update(with records: [CertificateBundleRecord]) throws(BundleError) -> Change {
        try reloadState.withLock { reloadState throws(BundleError) in
            let loaded = BundleLoader.load(
                records,
                allowingDevelopment: allowsDevelopment,
                plugins: plugins
            ) { record in
                guard let known = reloadState.inUse[record.name], known.record == record else { return nil }
                return known.bundle
            }
            let module = try KSM(bundles: loaded.bundles, configuration: module.configuration)
            var change = Change()
            let recordByName = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            var inUse: [String: LoadedBundle] = [:]
            for bundle in loaded.bundles {
                guard let record = recordByName[bundle.name] else { continue }
                inUse[bundle.name] = LoadedBundle(record: record, bundle: bundle)
                if reloadState.inUse[bundle.name]?.record != record { change.added.append(bundle.name) }
            }
            change.dropped = reloadState.inUse.keys.filter { inUse[$0] == nil }.sorted()
            let skipped = Dictionary(loaded.skipped.map { ($0.name, $0.reason) }, uniquingKeysWith: { $1 })
            change.skipped = skipped.filter { reloadState.skipped[$0.key] != $0.value }
            reloadState = ReloadState(inUse: inUse, skipped: skipped)
            current.withLock { $0 = module }
            return change
        }
    }
}
