import FileWriting
import Foundation

/// The standard output and standard error streams.
enum Terminal {
    /// Writes text to standard output; throws if that fails.
    static func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

    /// Writes bytes to standard output; throws if that fails.
    static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard writeAll(bytes, to: STDOUT_FILENO) else {
            throw .file("cannot write to standard output: \(lastSystemError())")
        }
    }

    /// Writes a line to standard error. Failures are ignored, because they cannot be reported anywhere else.
    static func writeError(_ line: String) {
        _ = writeAll(Array((line + "\n").utf8), to: STDERR_FILENO)
    }

    /// True if standard output is a terminal.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The text style: colors if standard output is a terminal, unless they are disabled (no-color.org).
    static var style: Style {
        let declined = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isInteractive && !declined ? .colored : .plain
    }
}

/// Returns the description of the C library's last error.
func lastSystemError() -> String { String(cString: strerror(errno)) }

/// A style of text output.
enum Style: Sendable {
    case plain
    case colored

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func green(_ text: String) -> String { wrapped(text, "32") }
    func red(_ text: String) -> String { wrapped(text, "31") }
    func yellow(_ text: String) -> String { wrapped(text, "33") }
    func dim(_ text: String) -> String { wrapped(text, "2") }

    private func wrapped(_ text: String, _ code: String) -> String {
        self == .colored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
