import Foundation
import Synchronization

/// A handler of Control-C, SIGTERM and SIGHUP, which stops the server and deletes the folder of the demonstration.
final class StoryInterruption: Sendable {
    private final class Flag: Sendable {
        let isUp = Atomic(false)
    }

    private let isInterrupted = Flag()
    // The sources are only resumed and cancelled, and Dispatch allows both from any thread.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Handles signals until ``end()`` is called.
    init(_ programs: StoryPrograms) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { [isInterrupted] number in
            #if canImport(Darwin)
            signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                isInterrupted.isUp.store(true, ordering: .relaxed)
                programs.end()
                // The exit code of a shell for a process that was ended by a signal.
                Foundation.exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Waits for the end of the process if a signal was received.
    func waitForExit() async {
        while isInterrupted.isUp.load(ordering: .relaxed) { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Stops handling signals.
    func end() { for source in sources { source.cancel() } }
}
