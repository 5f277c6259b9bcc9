import Dispatch
import KeyServerModule
package import KeyStore
package import Logging
import ServiceLifecycle

/// A service that regularly checks the store for changed certificate bundles, and makes the server use them. The
/// store's key-encryption keys are read again if a record is encrypted under an unknown one, and on request of the
/// operator.
///
/// If the store fails, the server continues with its current bundles.
package struct BundleReload: Service {
    private let bundleCache: BundleCache
    private let store: any KeyServerStore
    private let interval: Duration
    private let time: ServerTime
    private let logger: Logger

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - bundleCache: The bundles in use.
    ///   - store: The store.
    ///   - interval: The interval at which the store is checked.
    ///   - time: The clock that measures the interval.
    ///   - logger: The logger for changes.
    package init(
        bundleCache: BundleCache,
        store: any KeyServerStore,
        interval: Duration,
        time: ServerTime = ServerTime(),
        logger: Logger
    ) {
        self.bundleCache = bundleCache
        self.store = store
        self.interval = interval
        self.time = time
        self.logger = logger
    }

    /// Checks the store now.
    ///
    /// - Parameter keysToo: Whether the key-encryption keys are read again in any case.
    package func reload(keysToo: Bool = false) async {
        if keysToo { await reloadKeys() }
        do {
            let (bundleCache, records) = (bundleCache, try await records())
            // Not on a thread for licenses, because a plug-in that starts slowly must not delay them.
            let change: Result<BundleCache.Change, BundleError> = await withCheckedContinuation { answer in
                DispatchQueue.global().async {
                    answer.resume(
                        returning: Result { () throws(BundleError) in try bundleCache.update(with: records) }
                    )
                }
            }
            log(try change.get())
        } catch {
            // None of these errors contains a secret.
            logger.warning("certificate bundles could not be reloaded and stay unchanged: \(error)")
        }
    }

    /// Checks the store regularly, until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await time.clock.sleep(for: interval)) != nil { await reload() }
        }
    }

    private func records() async throws -> [CertificateBundleRecord] {
        do throws(KeyStoreError) {
            return try await store.certificateBundles()
        } catch {
            guard error.code == .wrongKEK, await reloadKeys() > 0 else { throw error }
            return try await store.certificateBundles()
        }
    }

    /// Reads the key-encryption keys again.
    ///
    /// - Returns: The number of new keys.
    @discardableResult
    private func reloadKeys() async -> Int {
        do {
            let store = store
            // Not on the pool, because a command that waits for a key management service must not delay licenses.
            let count = try await withCheckedThrowingContinuation { answer in
                DispatchQueue.global().async { answer.resume(with: Result { try store.reloadKeys() }) }
            }
            if count > 0 { logger.notice("read \(count) new key-encryption keys") }
            return count
        } catch {
            logger.error("the key-encryption keys could not be read again: \(error)")
            return 0
        }
    }

    private func log(_ change: BundleCache.Change) {
        for name in change.added { logger.notice("bundle \(name) is in use") }
        for name in change.dropped { logger.notice("bundle \(name) is no longer in use") }
        for (name, reason) in change.skipped.sorted(by: { $0.key < $1.key }) {
            logger.warning("bundle \(name) is not used: \(reason)")
        }
    }
}
