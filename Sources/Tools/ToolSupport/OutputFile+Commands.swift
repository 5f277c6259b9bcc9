package import CommandSupport
package import FileWriting
import Foundation

extension OutputFile {
    /// Opens the output file of an option.
    package static func open(
        _ path: String,
        access: Access = .allUsers,
        replacing: Bool = true,
        visibility: Visibility = .whole
    ) throws(CommandFailure) -> OutputFile {
        do {
            return try OutputFile(path, access: access, replaces: replacing, visibility: visibility)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Writes a file atomically.
    ///
    /// - Parameter replacing: Whether an existing file may be replaced, or a device or pipe written to.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access = .allUsers,
        replacing: Bool = true
    ) throws(CommandFailure) {
        try write(bytes, with: open(path, access: access, replacing: replacing))
    }

    /// Appends bytes to a file.
    package static func append(_ bytes: [UInt8], to path: String, access: Access) throws(CommandFailure) {
        try write(bytes, with: open(path, access: access, visibility: .appending))
    }

    private static func write(_ bytes: [UInt8], with file: OutputFile) throws(CommandFailure) {
        do {
            try file.write(bytes)
            try file.finish()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Writes a message to the file of `--out`; without it, to standard output, unless that is a terminal.
    package static func writeMessage(_ bytes: [UInt8], to path: String?) throws(CommandFailure) {
        if let path, path != "-" { return try write(bytes, to: path) }
        guard !Terminal.isInteractive else {
            throw .usage(
                "standard output is a terminal, and the message is binary",
                next: "give --out FILE, or redirect the output"
            )
        }
        try Terminal.write(bytes)
    }
}
