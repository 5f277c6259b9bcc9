package import KeyStore
package import Logging
import ServiceLifecycle

/// Makes the key periods of live channels ahead of the time, every minute: as the store's schedules say, and the
/// configuration for titles that have no schedule in the store. Every server of a store may run it.
package struct KeyPeriodService: Service {
    private let store: any KeyServerStore
    private let plans: [KeyPeriodPlan]
    private let logger: Logger
    private let interval: Duration

    /// Makes the service.
    ///
    /// - Parameter plans: what the configuration says.
    package init(store: any KeyServerStore, plans: [KeyPeriodPlan], logger: Logger, interval: Duration = .seconds(60)) {
        self.store = store
        self.plans = plans
        self.logger = logger
        self.interval = interval
    }

    /// Runs until the server ends. What does not come about is tried again the next time.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var passedOver: Set<String> = []
            repeat {
                let found = await makeAll()
                for title in found.subtracting(passedOver).sorted() {
                    logger.notice("channel \(title) follows its schedule in the store, not the configuration")
                }
                passedOver = found
            } while (try? await Task.sleep(for: interval)) != nil
        }
    }

    /// Makes what is missing, of every plan.
    ///
    /// - Returns: The titles in the configuration that the store has schedules of, by which it was gone.
    @discardableResult
    func makeAll() async -> Set<String> {
        let schedules: [ChannelRecord]
        do throws(KeyStoreError) {
            schedules = try await store.allChannels()
        } catch {
            // Whether the configuration's channels are the store's is not known.
            logger.error("no key periods were made: the schedules cannot be read: \(error)")
            return []
        }
        let kept = Set(schedules.map(\.title))
        for plan in schedules.flatMap(KeyPeriodPlan.plans) + plans.filter({ !kept.contains($0.title) }) {
            await make(plan)
        }
        return kept.intersection(plans.map(\.title))
    }

    private func make(_ plan: KeyPeriodPlan) async {
        let milliseconds = systemMilliseconds()
        let actor = AdminActor(name: "keyway-server", route: "service: key periods", milliseconds: milliseconds)
        do {
            let made = try await KeyPeriodMaker(store: store).make(plan, at: actor.now, by: actor)
            guard let last = made.last?.validUntil else { return }
            logger.info("\(made.count) key periods of track \(plan.title)/\(plan.track) made, until \(last)")
        } catch {
            // The store's errors name rows and never hold what is in them; others are none of its own.
            let reason = (error as? KeyStoreError).map { "\($0)" } ?? "\(type(of: error))"
            logger.error("no key periods were made for track \(plan.title)/\(plan.track): \(reason)")
        }
    }
}
