import ArgumentParser
import FileWriting
import Foundation

extension OutputFile {
    /// Begins to write what an option names.
    static func open(
        _ path: String,
        access: Access = .everybody,
        replacing: Bool = true,
        visibility: Visibility = .whole
    ) throws(CommandFailure) -> OutputFile {
        do {
            return try OutputFile(path, access: access, replaces: replacing, visibility: visibility)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Writes a file that is there whole or not at all.
    ///
    /// - Parameter replacing: Whether what has that name may be replaced, or written through.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access = .everybody,
        replacing: Bool = true
    ) throws(CommandFailure) {
        try write(bytes, with: open(path, access: access, replacing: replacing))
    }

    /// Writes bytes behind what is in a file.
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

    /// Writes a message where `--out` says; without it, to standard output, unless that is a terminal.
    static func writeMessage(_ bytes: [UInt8], to path: String?) throws(CommandFailure) {
        if let path, path != "-" { return try write(bytes, to: path) }
        guard !Terminal.isInteractive else {
            throw .usage("a message is binary and would upset the terminal", next: "use --out, or redirect")
        }
        try Terminal.write(bytes)
    }
}

/// The path of an output, as an option has it.
enum OutputPath {
    /// Takes a path. What looks like a URL is refused: it would become folders of that name.
    static func parse(_ text: String) throws -> String {
        if let reason = refusal(text) { throw ValidationError(reason) }
        return text
    }

    /// Why a path is refused; nil where it is taken.
    static func refusal(_ path: String) -> String? {
        guard path.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) != nil else { return nil }
        return "\(path) looks like a URL, and output goes to files: give a path, and upload from there (or ./\(path), "
            + "if a folder has that name)"
    }
}

extension CommandFailure {
    /// An output that cannot be written.
    init(_ failure: FileFailure) {
        let next =
            switch failure.code {
            case EEXIST: "give another name, or remove it first"
            case ENOSPC, EDQUOT: "make room on the disk"
            default: "check the path and its permissions"
            }
        self = .file("\(failure)", next: next)
    }
}
