import Locking

/// The life of the app's process: what has to happen when it ends without notice.
final class ProcessLife: Sendable {
    private let endings = Lock<[@Sendable () -> Void]>([])

    func atEnd(_ ending: @escaping @Sendable () -> Void) { endings.withLock { $0.append(ending) } }

    fileprivate func end() {
        let endings = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for ending in endings { ending() }
    }
}

extension AppleSystem {
    var processLife: ProcessLife { part(ProcessLife()) }

    /// Ends the app's process: its objects make no more calls and have no more effect. Objects that are created
    /// afterwards belong to the next launch.
    package func terminate() { processLife.end() }
}
