import ArgumentParser
import FileWriting
import Foundation

extension OutputFile {
    /// Opens the output file of an option.
    static func open(
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
    static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access = .allUsers,
        replacing: Bool = true
    ) throws(CommandFailure) {
        try write(bytes, with: open(path, access: access, replacing: replacing))
    }

    /// Appends bytes to a file.
    static func append(_ bytes: [UInt8], to path: String, access: Access) throws(CommandFailure) {
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
    static func writeMessage(_ bytes: [UInt8], to path: String?) throws(CommandFailure) {
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

/// The path of an output, as given by an option.
enum OutputPath {
    /// Returns a path. Text that looks like a URL is rejected, because it would create folders of that name.
    static func parse(_ text: String) throws -> String {
        if let reason = refusal(text) { throw ValidationError(reason) }
        return text
    }

    /// Returns the reason why a path is rejected; nil if it is accepted.
    static func refusal(_ path: String) -> String? {
        guard path.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) != nil else { return nil }
        return
            "\(path) looks like a URL, but output is written to files: give a path (or ./\(path), if a folder has that "
            + "name), and upload from there"
    }
}

extension CommandFailure {
    /// Creates a failure for an output that cannot be written.
    init(_ failure: FileError) {
        let next =
            switch failure.code {
            case EEXIST: "give another name, or delete the existing file first"
            case ENOSPC, EDQUOT: "free space on the disk"
            default: "check the path and its permissions"
            }
        self = .file("\(failure)", next: next)
    }
}
