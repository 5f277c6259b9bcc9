import Foundation
import Synchronization

/// Tells the story on standard output: chapters, and a line for each event.
final class StoryTeller: Sendable {
    private let style = Terminal.style
    private let begun = Mutex<[String]>([])

    /// The chapters so far.
    var chapters: [String] { begun.withLock { $0 } }

    /// Begins a chapter, once.
    func chapter(_ title: String) {
        let number = begun.withLock { begun in
            if !begun.contains(title) { begun.append(title) } else { return 0 }
            return begun.count
        }
        if number > 0 { write("\n" + style.bold("\(number). \(title)")) }
    }

    /// Says something that no moment belongs to.
    func say(_ text: String) { write("   " + text) }

    /// Shows what could be typed to have the same.
    func command(_ words: [String]) { write("   " + style.dim("$ " + words.joined(separator: " "))) }

    /// Says what happens, and when, by the clock that jumps.
    func event(at time: Duration, _ text: String) {
        let seconds = Int(time.components.seconds)
        write("   \(style.dim(String(format: "%d:%02d", seconds / 60, seconds % 60)))  \(text)")
    }

    /// A line of the summary.
    func row(_ name: String, _ value: String) {
        write("   " + name.padding(toLength: 32, withPad: " ", startingAt: 0) + value)
    }

    /// Writes a line as it is.
    func write(_ line: String) {
        // Where nobody reads, there is nobody to tell; the exit code says how it ended.
        try? Terminal.write(
            line.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n") + "\n"
        )
    }
}
