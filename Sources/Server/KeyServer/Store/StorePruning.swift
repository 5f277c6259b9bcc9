package import KeyStore
package import Logging
import ServiceLifecycle
import TextCoding

/// A service that regularly deletes expired records: requests that can no longer be replayed, expired tokens and
/// challenges, and expired leases.
package struct StorePruning: Service {
    private let store: any GrantStore
    private let logger: Logger
    private let time: ServerTime
    private let interval: Duration

    /// Creates the service.
    package init(
        store: any GrantStore,
        time: ServerTime = ServerTime(),
        logger: Logger,
        interval: Duration = .seconds(60)
    ) {
        self.store = store
        self.time = time
        self.logger = logger
        self.interval = interval
    }

    /// Runs until the server stops. If the store fails, the next run tries again.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await time.clock.sleep(for: interval)) != nil {
                do throws(KeyStoreError) {
                    let count = try await store.prune(at: time.seconds)
                    if count > 0 { logger.debug("deleted \(counted(count, "expired record"))") }
                } catch {
                    logger.warning("expired records could not be deleted: \(error)")
                }
            }
        }
    }
}
