import Synchronization

/// A record of events, in order.
final class EventRecorder<Element: Sendable>: Sendable {
    private let notes = Mutex<[Element]>([])
    var all: [Element] { notes.withLock { $0 } }
    func add(_ note: Element) { notes.withLock { $0.append(note) } }
}
