import Foundation

/// A file with a secret: a key, a password or a token.
///
/// All secret files must follow the same rule. The file must be a regular file that is owned by the user that runs the
/// program or by root. Other users must not have access to the file, and its group can have read access only if root is
/// the owner. Symbolic links are followed, because mounted secrets are links. The check applies to the open file, so
/// the file cannot be replaced between the check and the read. docs/operations.md lists the files.
package enum SecretFile {
    /// The default maximum size of a secret file in bytes. The largest files are chains of private keys.
    package static let standardLimit = 65_536

    /// Returns the unchanged content of a file.
    ///
    /// - Parameter limit: the maximum size of the file in bytes.
    package static func read(_ path: String, limit: Int = standardLimit) throws(SecretFileError) -> SecretBytes {
        guard let bytes = try readIfPresent(path, limit: limit) else { throw SecretFileError(path, .missing) }
        return bytes
    }

    /// Returns the text of a file, without the line breaks at its end.
    ///
    /// - Parameter limit: the maximum size of the file in bytes.
    package static func readText(_ path: String, limit: Int = standardLimit) throws(SecretFileError) -> SecretBytes {
        let bytes = try read(path, limit: limit)
        let count = bytes.withUnsafeBytes { text in
            (text.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? -1) + 1
        }
        guard count > 0 else { throw SecretFileError(path, .empty) }
        return bytes[0..<count]
    }

    /// Returns the unchanged content of a file, or nil if the file does not exist.
    ///
    /// - Parameter limit: the maximum size of the file in bytes.
    package static func readIfPresent(
        _ path: String,
        limit: Int = standardLimit
    ) throws(SecretFileError) -> SecretBytes? {
        // O_NONBLOCK prevents a named pipe at this path from blocking the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw SecretFileError(path, .unreadable(errno)) }
        defer { close(descriptor) }
        try check(descriptor, path)
        var count = 0
        // The buffer has one byte more than the limit, to detect longer files.
        let bytes = try SecretBytes(count: max(0, limit) + 1) { buffer throws(SecretFileError) in
            while count < buffer.count {
                let part = systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                if part < 0, errno == EINTR { continue }
                guard part >= 0 else { throw SecretFileError(path, .unreadable(errno)) }
                if part == 0 { return }
                count += part
            }
        }
        guard count <= limit else { throw SecretFileError(path, .tooLong(limit: limit)) }
        return bytes[0..<count]
    }

    /// Checks that an open file follows the rule for secret files.
    ///
    /// - Parameter path: the path in the error.
    package static func check(_ descriptor: Int32, _ path: String) throws(SecretFileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SecretFileError(path, .unreadable(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SecretFileError(path, .notRegular) }
        let mode = UInt32(status.st_mode) & 0o7777
        if let problem = problem(mode: mode, owner: status.st_uid, user: geteuid()) {
            throw SecretFileError(path, problem)
        }
    }

    /// Returns the problem with the owner or the mode of a regular file, if any.
    static func problem(mode: UInt32, owner: UInt32, user: UInt32) -> SecretFileError.Problem? {
        guard owner == user || owner == 0 else { return .owner(owner, user: user) }
        // If root is the owner, the group can have read access, as in PostgreSQL, so that a service can read a file
        // that it cannot change.
        let forbidden: UInt32 = owner == 0 ? 0o037 : 0o077
        return mode & forbidden == 0 ? nil : .mode(mode & 0o777, isOwn: owner == user)
    }
}

/// An error that prevents the use of a secret file. The error contains the file's path, but not its content.
package struct SecretFileError: Error, Hashable, CustomStringConvertible {
    /// The problem with a secret file.
    package enum Problem: Hashable, Sendable {
        /// The file does not exist.
        case missing
        /// The file cannot be opened or read; the value is `errno`.
        case unreadable(Int32)
        /// The path is a folder, a pipe, a device or a socket.
        case notRegular
        /// The owner is neither the user that runs this program nor root.
        case owner(UInt32, user: UInt32)
        /// Other users have access, or the group has too much access. `isOwn` is true if the user owns the file and
        /// false if root does.
        case mode(UInt32, isOwn: Bool)
        /// The file is larger than the limit, in bytes.
        case tooLong(limit: Int)
        /// The file is empty.
        case empty
    }

    /// The path of the file.
    package let path: String
    /// The problem with the file.
    package let problem: Problem

    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// The description of the problem, which is printed after the path.
    package var reason: String {
        switch problem {
        case .missing: "does not exist"
        case .unreadable(let number): "cannot be read: \(String(cString: strerror(number)))"
        case .notRegular: "is not a regular file; secrets are read only from regular files"
        case .owner(let owner, let user):
            "belongs to user \(owner), but must belong to root or to user \(user), who runs this program"
        case .mode(let mode, _): "contains a secret and is accessible to other users (mode 0\(String(mode, radix: 8)))"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .empty: "is empty"
        }
    }

    /// The command that solves the problem, if any.
    package var remedy: String? {
        switch problem {
        case .owner(_, let user): "chown \(user) \(path)"
        case .mode(_, let isOwn): "chmod \(isOwn ? "600" : "640") \(path)"
        case .missing, .unreadable, .notRegular, .tooLong, .empty: nil
        }
    }

    /// The path, the problem and the command that solves it, on one line.
    package var description: String { "\(path) \(reason)" + (remedy.map { "; \($0)" } ?? "") }
}

/// Calls `read(2)`, whose name is hidden by the functions above.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
