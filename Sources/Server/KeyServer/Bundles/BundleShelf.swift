package import KeyServerModule
package import KeyStore
import Synchronization

/// The certificate bundles that a running server uses, in its Key Server Module. They follow the store.
///
/// What has begun with one module ends with it: an SPC that was opened keeps its bundle.
package final class BundleShelf: Sendable {
    /// What came of looking at the store's bundles.
    package struct Change: Sendable, Equatable {
        /// The names of bundles that are used from now on: new ones, and those that were replaced.
        package var taken: [String] = []
        /// The names of bundles that are not used any more.
        package var dropped: [String] = []
        /// Bundles that cannot be used, by name, with the reason. Each is told of once, until the reason changes.
        package var leftOut: [String: String] = [:]
    }

    private struct InUse {
        let record: CertificateBundleRecord
        let bundle: CertificateBundle
    }

    private struct Looking {
        var inUse: [String: InUse] = [:]
        var leftOut: [String: String] = [:]
    }

    private let allowsDevelopment: Bool
    /// Who looks at the store's bundles; one at a time, since a plug-in may take long to start.
    private let looking = Mutex(Looking())
    private let current: Mutex<KSM>

    /// Makes a shelf without bundles; ``take(_:)`` puts them there.
    ///
    /// - Parameters:
    ///   - configuration: the module's.
    ///   - allowsDevelopment: whether bundles of kind development are used.
    package init(configuration: KSM.Configuration, allowsDevelopment: Bool) {
        self.allowsDevelopment = allowsDevelopment
        current = Mutex(KSM(configuration: configuration))
    }

    /// Takes a module that was made elsewhere.
    package init(_ module: KSM) {
        allowsDevelopment = false
        current = Mutex(module)
    }

    /// What opens SPCs now.
    package var module: KSM { current.withLock { $0 } }

    /// Makes these the bundles in use. A bundle whose record is as before stays as it is, with the plug-in that it has loaded.
    ///
    /// Reads keys and starts plug-ins: not for an event loop.
    ///
    /// - Throws: ``BundleError`` when two bundles have the same certificate. Those in use stay then.
    package func take(_ records: [CertificateBundleRecord]) throws(BundleError) -> Change {
        try looking.withLock { looking throws(BundleError) in
            let loaded = BundleLoader.load(records, allowingDevelopment: allowsDevelopment) { record in
                guard let known = looking.inUse[record.name], known.record == record else { return nil }
                return known.bundle
            }
            let module = try KSM(bundles: loaded.bundles, configuration: module.configuration)
            var change = Change()
            let recordByName = Dictionary(records.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            var inUse: [String: InUse] = [:]
            for bundle in loaded.bundles {
                guard let record = recordByName[bundle.name] else { continue }
                inUse[bundle.name] = InUse(record: record, bundle: bundle)
                if looking.inUse[bundle.name]?.record != record { change.taken.append(bundle.name) }
            }
            change.dropped = looking.inUse.keys.filter { inUse[$0] == nil }.sorted()
            let leftOut = Dictionary(loaded.leftOut.map { ($0.name, $0.reason) }, uniquingKeysWith: { $1 })
            change.leftOut = leftOut.filter { looking.leftOut[$0.key] != $0.value }
            looking = Looking(inUse: inUse, leftOut: leftOut)
            current.withLock { $0 = module }
            return change
        }
    }
}
