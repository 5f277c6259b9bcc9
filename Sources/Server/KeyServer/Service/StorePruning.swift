package import KeyStore
package import Logging
import ServiceLifecycle

/// Forgets what is of no use any more, every now and then: requests that can no longer be repeated, tokens that have
/// expired, challenges, and leases that have run out.
package struct StorePruning: Service {
    private let store: any GrantStore
    private let logger: Logger
    private let interval: Duration

    /// Makes the service.
    package init(store: any GrantStore, logger: Logger, interval: Duration = .seconds(60)) {
        self.store = store
        self.logger = logger
        self.interval = interval
    }

    /// Runs until the server ends. A store that does not answer is asked again the next time.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: interval)) != nil {
                do throws(KeyStoreError) {
                    let count = try await store.prune(at: systemMilliseconds() / 1000)
                    if count > 0 { logger.debug("forgot \(count) records that are of no use any more") }
                } catch {
                    logger.warning("the store was not pruned: \(error)")
                }
            }
        }
    }
}
