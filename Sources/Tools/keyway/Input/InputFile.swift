import FPSCrypto
import Foundation

/// Reads what a command is given.
enum InputFile {
    /// No SPC, CKC, certificate, key or policy is longer.
    static let maximumSize = 1 << 20

    /// All bytes of a file, or of standard input where the path is `-`.
    ///
    /// - Parameter maximum: How many bytes it may have.
    /// - Throws: a failure of kind file when it cannot be read, of kind input when it is longer than `maximum`.
    static func read(_ path: String, maximum: Int = maximumSize) throws(CommandFailure) -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, "standard input", maximum) }
        return try withOpened(path) { descriptor throws(CommandFailure) in try read(descriptor, path, maximum) }
    }

    private static func withOpened(
        _ path: String,
        _ body: (Int32) throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .file("cannot read \(path): \(lastSystemError())", next: "check the path and its permissions")
        }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// All bytes of a file that holds a secret, or of standard input where the path is `-`.
    ///
    /// A file that breaks the rule for files with secrets is used, with a warning: it is often one of a repository, and git
    /// keeps no modes. A pipe has nothing that could be read later.
    ///
    /// - Throws: as ``read(_:maximum:)``.
    static func readSecret(_ path: String) throws(CommandFailure) -> [UInt8] {
        guard path != "-" else { return try read(path) }
        return try withOpened(path) { descriptor throws(CommandFailure) in
            do throws(SecretFileError) {
                try SecretFile.check(descriptor, path)
            } catch {
                if error.problem != .notRegular { Terminal.complain("warning: \(escaped(error.description))") }
            }
            return try read(descriptor, path, maximumSize)
        }
    }

    /// The secret in a file but the line break that an editor has put at its end.
    ///
    /// - Throws: as ``read(_:maximum:)``.
    static func readLine(_ path: String) throws(CommandFailure) -> [UInt8] {
        var bytes = try readSecret(path)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    /// All bytes of a file that somebody else has named: neither a device nor a pipe, which might never end.
    ///
    /// - Throws: a failure whose words do not hold the path.
    static func readRegular(_ path: String, maximum: Int) throws(CommandFailure) -> [UInt8] {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
        guard let type else { throw .file("there is no such file") }
        guard type == .typeRegular else { throw .file("it is no file") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file(lastSystemError()) }
        defer { close(descriptor) }
        return try read(descriptor, "it", maximum)
    }

    private static func read(_ descriptor: Int32, _ name: String, _ maximum: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot read \(name): \(lastSystemError())") }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= maximum else {
                throw .input(
                    "\(name) is longer than \(maximum >> 20) MiB",
                    next: "no file that this command reads is that long"
                )
            }
        }
    }
}
