import Foundation
import Synchronization

/// Control-C, SIGTERM and SIGHUP end the story as its own end does: no server stays behind, and no folder.
final class StoryInterruption: Sendable {
    private final class Flag: Sendable {
        let isUp = Atomic(false)
    }

    private let hasCome = Flag()
    // Dispatch lets a source be cancelled from any thread; nothing else is done with them.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Listens from now on, until ``end()``.
    init(_ programs: StoryPrograms) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { [hasCome] number in
            #if canImport(Darwin)
            signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                hasCome.isUp.store(true, ordering: .relaxed)
                programs.end()
                // As a shell has it for who was ended by a signal.
                Foundation.exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Waits for the end of the process, if a signal has come.
    func letItFinish() async {
        while hasCome.isUp.load(ordering: .relaxed) { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Signals do what they did before.
    func end() { for source in sources { source.cancel() } }
}
