import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as an orderly end: the first one calls a closure, the second one ends the process at once, as
/// it would have without this.
final class EndSignals: Sendable {
    private let first = Atomic<Int32>(0)
    // Dispatch lets a source be cancelled from any thread; nothing else is done with them.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let numbers: [Int32]

    /// The signal that has come; nil for none.
    var number: Int32? {
        let number = first.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Listens until ``end()``. SIGHUP stays ignored where it is, as nohup has it.
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

    /// Signals do what they did before.
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
