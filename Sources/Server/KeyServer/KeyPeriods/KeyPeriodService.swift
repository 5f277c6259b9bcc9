package import KeyStore
package import Logging
import ServiceLifecycle
import TextCoding

/// A service that creates the key periods of live channels in advance, every minute: by the schedules in the store, and
/// by the configuration for titles without a schedule. All servers that share a store may run it.
package struct KeyPeriodService: Service {
    private let store: any KeyServerStore
    private let plans: [KeyPeriodPlan]
    private let time: ServerTime
    private let logger: Logger
    private let interval: Duration

    /// Creates the service.
    ///
    /// - Parameter plans: The plans in the configuration.
    package init(
        store: any KeyServerStore,
        plans: [KeyPeriodPlan],
        time: ServerTime = ServerTime(),
        logger: Logger,
        interval: Duration = .seconds(60)
    ) {
        self.store = store
        self.plans = plans
        self.time = time
        self.logger = logger
        self.interval = interval
    }

    /// Runs until the server stops. Failed plans are tried again in the next round.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var reported: Set<String> = []
            repeat {
                let found = await makeAll()
                for title in found.subtracting(reported).sorted() {
                    logger.notice("channel \(title) uses its schedule in the store, not the configuration")
                }
                reported = found
            } while (try? await time.clock.sleep(for: interval)) != nil
        }
    }

    /// Creates the missing periods of all plans.
    ///
    /// - Returns: The titles in the configuration that have a schedule in the store, which takes precedence.
    @discardableResult
    func makeAll() async -> Set<String> {
        let schedules: [ChannelRecord]
        do throws(KeyStoreError) {
            schedules = try await store.allChannels()
        } catch {
            // Without the schedules, it is unknown which channels of the configuration have one.
            logger.error("no key periods were created: the schedules cannot be read: \(error)")
            return []
        }
        let scheduled = Set(schedules.map(\.title))
        for plan in schedules.flatMap(KeyPeriodPlan.plans) + plans.filter({ !scheduled.contains($0.title) }) {
            await make(plan)
        }
        return scheduled.intersection(plans.map(\.title))
    }

    private func make(_ plan: KeyPeriodPlan) async {
        let milliseconds = time.milliseconds()
        let actor = AdminActor(name: "keyway-server", route: "service: key periods", milliseconds: milliseconds)
        do {
            let made = try await KeyPeriodCreator(store: store).make(plan, at: actor.now, by: actor)
            guard let last = made.last?.validUntil else { return }
            logger.info(
                "\(counted(made.count, "key period")) of track \(plan.title)/\(plan.track) created, until \(last)"
            )
        } catch {
            // The store's errors name rows and never contain their values. Of other errors, only the type is logged.
            let reason = (error as? KeyStoreError).map { "\($0)" } ?? "\(type(of: error))"
            logger.error("no key periods were created for track \(plan.title)/\(plan.track): \(reason)")
        }
    }
}
