import FileWriting
import Foundation

/// The standard output and standard error streams.
package enum Terminal {
    /// Writes text to standard output; throws if that fails.
    package static func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

    /// Writes bytes to standard output; throws if that fails.
    package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard writeAll(bytes, to: STDOUT_FILENO) else {
            throw .file("cannot write to standard output: \(lastSystemError())")
        }
    }

    /// Writes a line to standard error. Failures are ignored, because they cannot be reported anywhere else.
    package static func writeError(_ line: String) {
        _ = writeAll(Array((line + "\n").utf8), to: STDERR_FILENO)
    }

    /// True if standard output is a terminal.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The text style: colors if standard output is a terminal, unless they are disabled (no-color.org).
    package static var style: Style {
        let declined = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isInteractive && !declined ? .colored : .plain
    }
}

/// Returns the description of the C library's last error.
package func lastSystemError() -> String { String(cString: strerror(errno)) }

/// A style of text output.
package enum Style: Sendable {
    case plain
    case colored

    package func bold(_ text: String) -> String { wrapped(text, "1") }
    package func green(_ text: String) -> String { wrapped(text, "32") }
    package func red(_ text: String) -> String { wrapped(text, "31") }
    package func yellow(_ text: String) -> String { wrapped(text, "33") }
    package func dim(_ text: String) -> String { wrapped(text, "2") }

    private func wrapped(_ text: String, _ code: String) -> String {
        self == .colored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

/// Returns text with all characters escaped that could move the cursor, ring the bell or change the text direction.
package func escaped(_ text: String) -> String {
    // Most text is plain ASCII, and looking up the category of a character is slow.
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
