import Glibc

/// A small file with a secret, which nobody but the user that runs this program may touch.
package enum SecretFile {
    /// Why it is not read.
    package enum Failure: Error, Hashable {
        /// A system call failed: its name, and `errno`.
        case system(call: String, number: Int32)
        /// It is no plain file, another user's, or its group or others may do anything with it.
        case unsafePermissions
    }

    /// What is in a file; nil where there is none.
    ///
    /// - Parameter limit: in bytes. Of a longer file one byte more comes, so that it is not taken for one of `limit`.
    /// - Throws: ``Failure``.
    package static func read(_ path: String, limit: Int) throws(Failure) -> SecretBytes? {
        // Not blocking, so that a named pipe in the file's place does not hang the program.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system(call: "open", number: errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(call: "fstat", number: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .unsafePermissions
        }
        var count = 0
        let bytes = SecretBytes(count: max(0, limit) + 1) { count = Glibc.read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .system(call: "read", number: errno) }
        return bytes[0..<count]
    }
}
