import Foundation
import Synchronization

/// Control-C, and SIGTERM, end the story as its own end does: no server stays behind, and no folder.
final class StoryInterruption: Sendable {
    private let hasCome = Mutex(false)
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Listens from now on, until ``end()``.
    init(_ programs: StoryPrograms) {
        for number in [SIGINT, SIGTERM] {
            #if canImport(Darwin)
            signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.hasCome.withLock { $0 = true }
                programs.end()
                // As a shell has it for who was ended by a signal.
                Foundation.exit(128 + number)
            }
            source.resume()
            sources.withLock { $0.append(source) }
        }
    }

    /// Waits for the end of the process, if a signal has come.
    func letItFinish() async {
        while hasCome.withLock(\.self) { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Signals do what they did before.
    func end() { sources.withLock { for source in $0 { source.cancel() } } }
}
