public import KeyStore
public import Logging
public import ServiceLifecycle

/// Makes the key periods of live channels ahead of the time, every minute, as the configuration says. Every server of a
/// store may run it.
public struct KeyPeriodService: Service {
    private let store: any KeyStore
    private let plans: [KeyPeriodPlan]
    private let logger: Logger
    private let interval: Duration

    /// Makes the service.
    public init(store: any KeyStore, plans: [KeyPeriodPlan], logger: Logger, interval: Duration = .seconds(60)) {
        self.store = store
        self.plans = plans
        self.logger = logger
        self.interval = interval
    }

    /// Runs until the server ends. What does not come about is tried again the next time.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await makeAll() } while (try? await Task.sleep(for: interval)) != nil
        }
    }

    /// Makes what is missing, of every plan.
    func makeAll() async {
        for plan in plans {
            let milliseconds = systemMilliseconds()
            do {
                let made = try await KeyPeriodMaker(store: store).make(plan, at: milliseconds / 1_000)
                guard let last = made.last?.validUntil else { continue }
                let what = "\(made.count) key periods of track \(plan.title)/\(plan.track) made, until \(last)"
                let actor = AdminActor(name: "keyway-server", route: "service: key periods", milliseconds: milliseconds)
                try await store.append(actor.audit("periods-make", what))
                logger.info("\(what)")
            } catch {
                // The store's errors name rows and never hold what is in them; others are none of its own.
                let reason = (error as? KeyStoreError).map { "\($0)" } ?? "\(type(of: error))"
                logger.error("no key periods were made for track \(plan.title)/\(plan.track): \(reason)")
            }
        }
    }
}
