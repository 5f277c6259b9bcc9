import Foundation

/// Writes files that are there whole or not at all.
enum OutputFile {
    /// Who may read a file.
    enum Access: mode_t {
        /// Everybody, as far as the umask lets them.
        case everybody = 0o644
        /// The owner alone.
        case owner = 0o600
    }

    /// Writes a file by way of another one beside it.
    ///
    /// - Parameter replacing: whether a file of that name may be replaced.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access = .everybody,
        replacing: Bool = true
    ) throws(CommandFailure) {
        func failure() -> CommandFailure {
            .file("cannot write \(path): \(lastSystemError())", next: "check the folder and its permissions")
        }
        // Renaming would replace a device or a link itself: /dev/null, /dev/stdout.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let attributes, attributes[.type] as? FileAttributeType != .typeRegular {
            let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
            guard replacing, descriptor >= 0 else { throw failure() }
            let isWritten = writeAll(bytes, to: descriptor)
            guard close(descriptor) == 0, isWritten else { throw failure() }
            return
        }
        let temporary = "\(path).\(UInt32.random(in: 0...(.max))).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.rawValue)
        guard descriptor >= 0 else { throw failure() }
        defer { unlink(temporary) }
        let isWritten = writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten else { throw failure() }
        // A link fails where the name is taken, which a renaming does not.
        guard (replacing ? rename(temporary, path) : link(temporary, path)) == 0 else { throw failure() }
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
