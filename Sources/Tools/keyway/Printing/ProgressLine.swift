import FileWriting
import Foundation

/// One line on standard error that says how far a command is. It is only there while a person is looking.
struct ProgressLine {
    private let isShown: Bool
    /// When the work began.
    let start = ContinuousClock.now
    private var last = ContinuousClock.now - .seconds(1)

    /// Begins now. `isWanted` is false when a person has asked for quiet.
    init(isWanted: Bool = true) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    /// Replaces the line; at most ten times a second.
    mutating func show(_ text: String) {
        guard isShown, ContinuousClock.now - last > .milliseconds(100) else { return }
        last = .now
        // Longer than a line it could not be taken back.
        let shown = escaped(text)
        let line = shown.count > 78 ? shown.prefix(77) + "…" : shown
        _ = writeAll(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
    }

    /// Takes the line away.
    func clear() {
        if isShown { _ = writeAll(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
    }
}
