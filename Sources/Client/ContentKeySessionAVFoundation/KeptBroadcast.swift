#if canImport(AVFoundation)
import ContentKeySession
import Locking

/// A broadcast whose first sequence begins with the elements that were added before it.
final class KeptBroadcast<Element: Sendable>: Sendable {
    private let broadcast = Broadcast<Element>()
    private let kept = Lock<[Element]?>([])

    /// Adds an element.
    ///
    /// - Parameter isKept: False if the element is of no use to a later sequence.
    func add(_ element: Element, isKept: Bool = true) {
        kept.withLock { kept in
            if kept == nil { broadcast.add(element) } else if isKept { kept?.append(element) }
        }
    }

    func sequence() -> AsyncStream<Element> {
        kept.withLock { kept in
            let later = broadcast.sequence()
            guard let earlier = kept else { return later }
            kept = nil
            // Added after the sequence was made, so that it receives them.
            for element in earlier { broadcast.add(element) }
            return later
        }
    }

    func finish() { broadcast.finish() }
}
#endif
