import KeyStore
import Logging
import ServiceLifecycle
import Synchronization
import TextCoding

/// A service that writes the activity of each minute to the store, outside of license requests, and deletes old rows.
final class ActivityHistory: Service {
    private let activity: Activity
    private let store: any ActivityStore
    private let time: ServerTime
    private let logger: Logger
    /// The ID of this process, 8 bytes.
    private let node: [UInt8]
    /// The rows that could not be written yet.
    private let pending = Mutex<[ActivityRecord]>([])

    /// The time for which rows are kept, in seconds.
    static let retention: Int64 = 30 * 86_400
    /// The maximum number of rows that wait for the store.
    static let capacity = 20_000

    /// Creates the service.
    ///
    /// - Parameter node: The ID of this process, 8 random bytes.
    init(
        _ activity: Activity,
        store: any ActivityStore,
        time: ServerTime = ServerTime(),
        logger: Logger,
        node: [UInt8] = AuditHead.newNode()
    ) {
        self.activity = activity
        self.store = store
        self.time = time
        self.logger = logger
        self.node = node
    }

    /// Runs until the server stops, and then writes the rest.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var minute = 0
            while (try? await time.clock.sleep(for: .seconds(60))) != nil {
                await write(before: time.seconds)
                if minute.isMultiple(of: 60) { await prune() }
                minute += 1
            }
        }
        await write(before: .max)
    }

    /// Writes the minutes that ended before a time, in Unix seconds.
    func write(before time: Int64) async {
        let taken = activity.take(before: time, node: node)
        let rows = pending.withLock { rows in
            // A newer row of an hour replaces the one that could not be written.
            let keys = Set(taken.map(\.key))
            let all = rows.filter { !keys.contains($0.key) } + taken
            rows = []
            return Array(all.suffix(Self.capacity))
        }
        guard !rows.isEmpty else { return }
        do throws(KeyStoreError) { try await store.writeActivity(rows) } catch {
            logger.warning("the activity could not be written: \(error)")
            pending.withLock { $0 = rows }
        }
    }

    /// Deletes rows beyond the retention.
    func prune() async {
        do throws(KeyStoreError) { try await store.pruneActivity(before: time.seconds - Self.retention) } catch {
            logger.warning("old activity could not be deleted: \(error)")
        }
    }
}
