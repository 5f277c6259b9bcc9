import Foundation
import Synchronization

/// A printer of the demonstration on standard output: chapters, and a line for each event.
final class StoryPrinter: Sendable {
    private let begun = Mutex<[String]>([])

    /// The chapters so far.
    var chapters: [String] { begun.withLock { $0 } }

    /// Prints the title of a chapter, unless it has been printed before.
    func chapter(_ title: String) {
        let number = begun.withLock { begun in
            if !begun.contains(title) { begun.append(title) } else { return 0 }
            return begun.count
        }
        if number > 0 { write("\n" + "\(number). \(title)") }
    }

    /// Prints a line without a time.
    func text(_ text: String) { write("   " + text) }

    /// Prints a command that produces the same result.
    func command(_ arguments: [String]) { write("   " + "$ " + arguments.joined(separator: " ")) }

    /// Prints an event, with the time of the simulated clock.
    func event(at time: Duration, _ text: String) {
        let seconds = Int(time.components.seconds)
        write("   \(String(format: "%d:%02d", seconds / 60, seconds % 60))  \(text)")
    }

    /// Prints a line of the summary.
    func row(_ name: String, _ value: String) {
        write("   " + name.padding(toLength: 32, withPad: " ", startingAt: 0) + value)
    }

    /// Writes a line without indentation.
    func write(_ line: String) {
        // A failure to print is ignored; the exit code still shows the result.
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
