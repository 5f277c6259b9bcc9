package import CommandSupport
import FPSCrypto
import FileWriting
import Foundation

/// A reader of input files.
package enum InputFile {
    /// The maximum size of an input file, in bytes; no SPC, CKC, certificate, key or policy is larger.
    package static let maximumSize = 1 << 20

    /// Returns all bytes of a file, or of standard input if the path is `-`.
    ///
    /// - Parameter maximum: The maximum size, in bytes.
    /// - Throws: A failure of kind `file` if the file cannot be read, of kind `input` if it is larger than `maximum`.
    package static func read(_ path: String, maximum: Int = maximumSize) throws(CommandFailure) -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, "standard input", maximum) }
        return try withOpened(path) { descriptor throws(CommandFailure) in try read(descriptor, path, maximum) }
    }

    private static func withOpened(
        _ path: String,
        _ body: (Int32) throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT, let reason = URLText.refusal(ofInput: path) { throw .file(reason) }
            throw .file(
                "cannot read \(path): \(String(cString: strerror(code)))",
                next: "check the path and its permissions"
            )
        }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// The treatment of a file with a secret that violates the rules for such files.
    package enum SecretRules: Sendable {
        /// The file is read with a warning, because such files are often in a repository, and git does not store modes.
        case warning
        /// The file is not read.
        case required
    }

    /// Returns all bytes of a file with a secret, or of standard input if the path is `-`. The rules for secret files
    /// do not apply to pipes, whose content is not stored, unless they are required.
    ///
    /// - Parameter maximum: The maximum size, in bytes, unless the rules are required: they have their own.
    /// - Throws: The errors of ``read(_:maximum:)``.
    package static func readSecret(
        _ path: String,
        rules: SecretRules = .warning,
        maximum: Int = maximumSize
    ) throws(CommandFailure) -> [UInt8] {
        if rules == .required {
            do throws(SecretFileError) { return try SecretFile.read(path).reveal() } catch {
                throw CommandFailure(error)
            }
        }
        guard path != "-" else { return try read(path, maximum: maximum) }
        return try withOpened(path) { descriptor throws(CommandFailure) in
            do throws(SecretFileError) {
                try SecretFile.check(descriptor, path)
            } catch {
                if error.problem != .notRegular { Terminal.writeError("warning: \(escaped(error.description))") }
            }
            return try read(descriptor, path, maximum)
        }
    }

    /// Returns the secret in a file without a trailing newline.
    ///
    /// - Throws: The errors of ``read(_:maximum:)``.
    package static func readLine(
        _ path: String,
        rules: SecretRules = .warning
    ) throws(CommandFailure) -> [UInt8] {
        var bytes = try readSecret(path, rules: rules)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    /// Returns all bytes of a file whose path is from untrusted input. Devices and pipes are rejected, because reading
    /// them may never end.
    ///
    /// - Throws: A failure whose message does not contain the path.
    package static func readRegular(_ path: String, maximum: Int) throws(CommandFailure) -> [UInt8] {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
        guard let type else { throw .file("the file does not exist") }
        guard type == .typeRegular else { throw .file("it is not a regular file") }
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
                    "\(name) is larger than \(maximum >> 20) MiB",
                    next: "check the path: no input of this command is that large"
                )
            }
        }
    }
}
