import NIOCore
import Synchronization

/// Sends the same events to every listening page. Each event is encoded once, and the pages share its bytes.
///
/// A page that reads too slowly is disconnected: a few events are buffered for it, and then its stream ends. The
/// browser reconnects automatically, and a page that was disconnected for longer reloads its data.
package final class EventBroadcaster: Sendable {
    /// The event stream of one page.
    struct Subscription: Sendable {
        fileprivate let number: Int
        let events: AsyncStream<ByteBuffer>
    }

    private struct State {
        var next = 0
        var isStopped = false
        var listeners: [Int: (continuation: AsyncStream<ByteBuffer>.Continuation, eventsLeft: Int)] = [:]
    }

    /// The maximum number of listening pages.
    static let capacity = 64
    /// The maximum number of buffered events per page.
    static let buffered = 8
    /// The number of events after which a stream ends, so that the session of the page is checked again.
    static let lifetime = 300

    private let state = Mutex(State())

    /// Creates a broadcaster without listeners.
    package init() {}

    /// The number of listening pages.
    var count: Int { state.withLock { $0.listeners.count } }

    /// True if another page can subscribe.
    var hasCapacity: Bool { state.withLock { !$0.isStopped && $0.listeners.count < Self.capacity } }

    /// Starts a stream; returns nil if the capacity is exhausted.
    func subscribe() -> Subscription? {
        let (events, continuation) = AsyncStream.makeStream(
            of: ByteBuffer.self,
            bufferingPolicy: .bufferingOldest(Self.buffered)
        )
        let number = state.withLock { state -> Int? in
            guard !state.isStopped, state.listeners.count < Self.capacity else { return nil }
            state.next += 1
            state.listeners[state.next] = (continuation, Self.lifetime)
            return state.next
        }
        return number.map { Subscription(number: $0, events: events) }
    }

    /// Ends a stream.
    func unsubscribe(_ subscription: Subscription) { remove([subscription.number]) }

    /// Sends an event to every page. A page with a full buffer is disconnected.
    func send(_ event: ByteBuffer) {
        let listeners = state.withLock { $0.listeners }
        var over: [Int] = []
        for (number, listener) in listeners {
            switch listener.continuation.yield(event) {
            case .enqueued where listener.eventsLeft > 1: continue
            default: over.append(number)
            }
        }
        state.withLock { state in
            for number in listeners.keys { state.listeners[number]?.eventsLeft -= 1 }
        }
        remove(over)
    }

    /// Ends every stream and refuses new ones.
    func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            return Array(state.listeners.keys)
        }
        remove(all)
    }

    private func remove(_ numbers: [Int]) {
        guard !numbers.isEmpty else { return }
        let gone = state.withLock { state in numbers.compactMap { state.listeners.removeValue(forKey: $0) } }
        for listener in gone { listener.continuation.finish() }
    }
}
