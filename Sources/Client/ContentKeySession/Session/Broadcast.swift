import Locking

/// A broadcast of elements to any number of sequences. Elements that wait for a response are also delivered to later
/// sequences.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var waiting: [UInt64: Element] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Lock(State())

    /// Creates a broadcast without sequences.
    package init() {}

    /// Returns a new sequence. It starts with the elements that wait for a response.
    package func sequence() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        let id: UInt64? = state.withLock { state in
            for (_, element) in state.waiting.sorted(by: { $0.key < $1.key }) { continuation.yield(element) }
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.removeContinuation(id) }
        return stream
    }

    /// Adds an element to every sequence. An element with an ID waits until ``resolve(_:)``.
    package func add(_ element: Element, waitingAs id: UInt64? = nil) {
        state.withLock { state in
            if let id { state.waiting[id] = element }
            for continuation in state.continuations.values { continuation.yield(element) }
        }
    }

    /// Removes a waiting element, so that later sequences do not receive it.
    package func resolve(_ id: UInt64) { state.withLock { $0.waiting[id] = nil } }

    /// Finishes every sequence.
    package func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            state.waiting = [:]
            return state.continuations.values.map(\.self)
        }
        // Outside the lock, because finishing a continuation calls `onTermination`.
        for continuation in continuations { continuation.finish() }
    }

    private func removeContinuation(_ id: UInt64) { state.withLock { $0.continuations[id] = nil } }
}
