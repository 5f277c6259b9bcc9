import Foundation

/// Reads what a command is given.
enum InputFile {
    /// No SPC, CKC, certificate, key or policy is longer.
    static let maximumSize = 1 << 20

    /// All bytes of a file, or of standard input where the path is `-`.
    ///
    /// - Throws: a failure of kind file when it cannot be read, of kind input when it is longer than ``maximumSize``.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, "standard input") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .file("cannot read \(path): \(lastSystemError())", next: "check the path and its permissions")
        }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: Int32, _ name: String) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot read \(name): \(lastSystemError())") }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= maximumSize else {
                throw .input("\(name) is longer than 1 MiB", next: "no file that this command reads is that long")
            }
        }
    }
}
