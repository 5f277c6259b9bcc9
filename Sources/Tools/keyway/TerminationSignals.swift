import Foundation
import Synchronization

/// A handler of SIGINT, SIGTERM and SIGHUP for a graceful shutdown: the first signal calls a closure, the second one
/// ends the process immediately with the signal's default action.
final class TerminationSignals: Sendable {
    private let first = Atomic<Int32>(0)
    // The sources are only resumed and cancelled, and Dispatch allows both from any thread.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let numbers: [Int32]

    /// The number of the first signal received; nil if there was none.
    var number: Int32? {
        let number = first.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Handles signals until ``end()`` is called. SIGHUP stays ignored if it already is, as under nohup.
    init(_ action: @escaping @Sendable () -> Void) {
        var old = sigaction()
        sigaction(SIGHUP, nil, &old)
        numbers = Self.ignores(old) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for (source, number) in zip(sources, numbers) {
            source.setEventHandler { [self] in
                restore()
                first.store(number, ordering: .relaxed)
                action()
            }
            source.resume()
        }
    }

    /// Restores the default actions of the signals.
    func end() {
        for source in sources { source.cancel() }
        restore()
    }

    private func restore() { for number in numbers { signal(number, SIG_DFL) } }

    private static func ignores(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
