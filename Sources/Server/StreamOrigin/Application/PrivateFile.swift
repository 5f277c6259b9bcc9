import FileAccess
import Glibc

/// Reads files with secrets. They must belong to the user that runs the server or to root, and must not be accessible to
/// others.
enum PrivateFile {
    /// The maximum size of a file, in bytes.
    static let maximumSize = 1 << 20

    /// Reads a file.
    ///
    /// - Throws: ``PrivateFileError``.
    static func read(_ path: String) throws(PrivateFileError) -> (bytes: [UInt8], identity: FileIdentity) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw PrivateFileError(problem: "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw PrivateFileError(problem: "cannot be read") }
        if let problem = status.secretProblem(path: path) { throw PrivateFileError(problem: problem) }
        var bytes = [UInt8](repeating: 0, count: maximumSize + 1)
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard part >= 0 else { throw PrivateFileError(problem: "cannot be read") }
            if part == 0 { break }
            count += part
        }
        guard count <= maximumSize else { throw PrivateFileError(problem: "is larger than \(maximumSize) bytes") }
        return (Array(bytes[..<count]), status.identity)
    }
}

/// The reason why a file with secrets is not used.
struct PrivateFileError: Error, Hashable {
    /// The problem and the remedy, to follow the path.
    let problem: String
}
