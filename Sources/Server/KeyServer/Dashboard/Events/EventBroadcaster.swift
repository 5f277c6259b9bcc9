import NIOCore
import Synchronization

/// Sends the same events to every page that listens. Each event is written once, and the pages share its bytes.
///
/// A page that takes less than it is sent is let go: it has a few events' room, and then its stream ends. The browser asks for
/// another one by itself, and a page that was away for longer loads anew what it shows.
package final class EventBroadcaster: Sendable {
    /// What one page is sent.
    struct Subscription: Sendable {
        fileprivate let number: Int
        let events: AsyncStream<ByteBuffer>
    }

    private struct State {
        var next = 0
        var isStopped = false
        var listeners: [Int: (continuation: AsyncStream<ByteBuffer>.Continuation, eventsLeft: Int)] = [:]
    }

    /// How many pages may listen at once.
    static let capacity = 64
    /// How many events may wait for a page to take them.
    static let buffered = 8
    /// After how many events a stream ends, so that who listens is asked for their session again.
    static let lifetime = 300

    private let state = Mutex(State())

    /// Nobody listens yet.
    package init() {}

    /// How many pages listen.
    var count: Int { state.withLock { $0.listeners.count } }

    /// Whether another page may listen.
    var hasRoom: Bool { state.withLock { !$0.isStopped && $0.listeners.count < Self.capacity } }

    /// Begins a stream; nil when there is no room.
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

    /// Sends an event to everybody. Who has no room for it is let go.
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

    /// Ends every stream, and lets nobody listen any more.
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
