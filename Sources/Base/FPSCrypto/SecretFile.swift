import Foundation

/// A file that holds a secret: a key, a password, a token.
///
/// One rule decides whether such a file is used. It is a regular file; it belongs to the user that runs the program, or to
/// root; others have no access to it, and its group may read it only when it belongs to root. A symbolic link is followed,
/// since that is what a mounted secret is, and the rule is applied to what was opened: between check and read nothing can
/// be exchanged. docs/operations.md has the reasons.
package enum SecretFile {
    /// The size in bytes that a secret may have, unless its reader knows better: the largest are chains of private keys.
    package static let standardLimit = 65_536

    /// The content of a file, as it is.
    ///
    /// - Parameter limit: The most bytes that it may have.
    package static func read(_ path: String, limit: Int = standardLimit) throws(SecretFileError) -> SecretBytes {
        guard let bytes = try readIfPresent(path, limit: limit) else { throw SecretFileError(path, .missing) }
        return bytes
    }

    /// The text of a file, without the line breaks at its end.
    ///
    /// - Parameter limit: The most bytes that the file may have.
    package static func readText(_ path: String, limit: Int = standardLimit) throws(SecretFileError) -> SecretBytes {
        let bytes = try read(path, limit: limit)
        let count = bytes.withUnsafeBytes { text in
            (text.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? -1) + 1
        }
        guard count > 0 else { throw SecretFileError(path, .empty) }
        return bytes[0..<count]
    }

    /// The content of a file, as it is; nil where there is no file.
    ///
    /// - Parameter limit: The most bytes that it may have.
    package static func readIfPresent(
        _ path: String,
        limit: Int = standardLimit
    ) throws(SecretFileError) -> SecretBytes? {
        // Not blocking, so that a named pipe in the file's place does not stall the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw SecretFileError(path, .unreadable(errno)) }
        defer { close(descriptor) }
        try check(descriptor, path)
        var count = 0
        // One byte more than the limit, so that a longer file is noticed.
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

    /// Applies the rule to a file that is open.
    ///
    /// - Parameter path: What the error calls the file.
    package static func check(_ descriptor: Int32, _ path: String) throws(SecretFileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SecretFileError(path, .unreadable(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SecretFileError(path, .notRegular) }
        let mode = UInt32(status.st_mode) & 0o7777
        if let problem = problem(mode: mode, owner: status.st_uid, user: geteuid()) {
            throw SecretFileError(path, problem)
        }
    }

    /// What is wrong with the owner and the mode of a regular file; nil when nothing is.
    static func problem(mode: UInt32, owner: UInt32, user: UInt32) -> SecretFileError.Problem? {
        guard owner == user || owner == 0 else { return .owner(owner, user: user) }
        // A group of root's choosing may read, as PostgreSQL has it: so a service gets what it may not change.
        let forbidden: UInt32 = owner == 0 ? 0o037 : 0o077
        return mode & forbidden == 0 ? nil : .mode(mode & 0o777, isOwn: owner == user)
    }
}

/// Why a file with a secret is not used. It holds the file's name and nothing of its content.
package struct SecretFileError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Problem: Hashable, Sendable {
        /// There is no such file.
        case missing
        /// It cannot be opened or read: `errno`.
        case unreadable(Int32)
        /// It is a folder, a pipe, a device or a socket.
        case notRegular
        /// It belongs to somebody else than the user that runs this program, and than root.
        case owner(UInt32, user: UInt32)
        /// Others have access, or the group has more than it may; whether the file is the user's own or root's.
        case mode(UInt32, isOwn: Bool)
        /// It has more bytes than such a secret can have.
        case tooLong(limit: Int)
        /// There is nothing in it.
        case empty
    }

    /// The file.
    package let path: String
    /// What is wrong.
    package let problem: Problem

    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// What is wrong, to follow the file's name.
    package var reason: String {
        switch problem {
        case .missing: "does not exist"
        case .unreadable(let number): "cannot be read: \(String(cString: strerror(number)))"
        case .notRegular: "is not a regular file, and a secret is read from nothing else"
        case .owner(let owner, let user):
            "belongs to user \(owner), neither to user \(user), who runs this, nor to root"
        case .mode(let mode, _): "holds a secret and is open to others (mode 0\(String(mode, radix: 8)))"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .empty: "is empty"
        }
    }

    /// What to type; nil when no command repairs it.
    package var remedy: String? {
        switch problem {
        case .owner(_, let user): "chown \(user) \(path)"
        case .mode(_, let isOwn): "chmod \(isOwn ? "600" : "640") \(path)"
        case .missing, .unreadable, .notRegular, .tooLong, .empty: nil
        }
    }

    /// One line: the file, what is wrong, and what to type.
    package var description: String { "\(path) \(reason)" + (remedy.map { "; \($0)" } ?? "") }
}

/// `read(2)`, whose name the functions above have.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
