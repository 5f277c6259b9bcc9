import Dispatch
import KeyServerModule
package import KeyStore
package import Logging
import ServiceLifecycle

/// Looks every now and then whether the store has other certificate bundles, and has the server use them. The store's
/// key-encryption keys are read again when the store has been sealed under one that is not known, and when the operator says so.
///
/// A store that does not answer changes nothing: the server goes on with the bundles it has.
package struct BundleReload: Service {
    private let shelf: BundleShelf
    private let store: any KeyServerStore
    private let pool: BoundedWorkPool
    private let interval: Duration
    private let logger: Logger

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - shelf: where the bundles in use are.
    ///   - store: where they come from.
    ///   - pool: the threads that read keys and start plug-ins.
    ///   - interval: how often the store is asked.
    ///   - logger: is told what has changed.
    package init(
        shelf: BundleShelf,
        store: any KeyServerStore,
        pool: BoundedWorkPool,
        interval: Duration,
        logger: Logger
    ) {
        self.shelf = shelf
        self.store = store
        self.pool = pool
        self.interval = interval
        self.logger = logger
    }

    /// Looks now.
    ///
    /// - Parameter keysToo: whether the key-encryption keys are read again in any case.
    package func reload(keysToo: Bool = false) async {
        if keysToo { await readKeysAgain() }
        do {
            let (shelf, records) = (shelf, try await records())
            tell(try await pool.run { Result { () throws(BundleError) in try shelf.take(records) } }.get())
        } catch {
            // None of these errors holds a secret.
            logger.warning("certificate bundles stay as they are: \(error)")
        }
    }

    /// Looks until the server ends.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: interval)) != nil { await reload() }
        }
    }

    private func records() async throws -> [CertificateBundleRecord] {
        do throws(KeyStoreError) {
            return try await store.certificateBundles()
        } catch {
            guard error.code == .wrongKEK, await readKeysAgain() > 0 else { throw error }
            return try await store.certificateBundles()
        }
    }

    /// - Returns: how many keys are new.
    @discardableResult
    private func readKeysAgain() async -> Int {
        do {
            let store = store
            // Not on the pool: a command that waits for a key management service must not keep licenses waiting.
            let count = try await withCheckedThrowingContinuation { answer in
                DispatchQueue.global().async { answer.resume(with: Result { try store.readKeysAgain() }) }
            }
            if count > 0 { logger.notice("\(count) key-encryption keys are new") }
            return count
        } catch {
            logger.error("the key-encryption keys were not read again: \(error)")
            return 0
        }
    }

    private func tell(_ change: BundleShelf.Change) {
        for name in change.taken { logger.notice("bundle \(name) is in use") }
        for name in change.dropped { logger.notice("bundle \(name) is not in use any more") }
        for (name, reason) in change.leftOut.sorted(by: { $0.key < $1.key }) {
            logger.warning("bundle \(name) is not used: \(reason)")
        }
    }
}
