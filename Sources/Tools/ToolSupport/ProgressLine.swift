import CommandSupport
import FileWriting
import Foundation

/// A line of progress on standard error, which is shown only on a terminal.
package struct ProgressLine {
    private let isShown: Bool
    /// The time when the work started.
    package let start = ContinuousClock.now
    private var last = ContinuousClock.now - .seconds(1)

    /// Creates a progress line. `isWanted` is false if quiet output was requested.
    package init(isWanted: Bool = true) { isShown = isWanted && isatty(STDERR_FILENO) == 1 }

    /// Replaces the line, at most ten times per second. The text is formed only if it is shown.
    package mutating func show(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now - last > .milliseconds(100) else { return }
        last = .now
        // A text longer than a terminal line could not be cleared.
        let shown = escaped(text())
        let line = shown.count > 78 ? shown.prefix(77) + "…" : shown
        _ = writeAll(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
    }

    /// Removes the line.
    package func clear() {
        if isShown { _ = writeAll(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
    }
}
