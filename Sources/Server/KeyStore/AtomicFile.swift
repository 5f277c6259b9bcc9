package import FPSCrypto
import FileWriting
import Glibc

/// A file of mode 0600 that is written under a temporary name first, so that it appears complete or not at all: another
/// process never reads an incomplete file, and a power failure leaves none.
package struct AtomicFile {
    /// The temporary path.
    package let path: String
    /// The final path, with links resolved.
    private let destination: String

    /// Creates an empty temporary file in the folder of the final path.
    ///
    /// - Parameters:
    ///   - destination: The final path.
    ///   - replacing: Whether the file may already exist; ``replace()`` then replaces it.
    /// - Throws: ``KeyStoreError/Code/conflict`` if the file exists and `replacing` is false,
    ///   ``KeyStoreError/Code/unavailable`` if it cannot be created, or if the path is a folder, a pipe or a device,
    ///   which are never replaced.
    package init(for destination: String, replacing: Bool = true) throws(KeyStoreError) {
        let target: String
        switch try Self.target(of: destination) {
        case .new(let path): target = path
        case .regular(let path, _):
            guard replacing else { throw Self.exists(destination) }
            target = path
        case .special, .descriptor: throw Self.notRegular(destination)
        }
        self.destination = target
        var random = SecureRandom()
        path = target + ".\(random.next())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("create", destination) }
        close(file)
    }

    /// Writes a secret into the file.
    package func write(_ secret: SecretBytes) throws(KeyStoreError) {
        let output = try opened()
        defer { close(output) }
        try secret.withUnsafeBytes { bytes throws(KeyStoreError) in try write(bytes, to: output) }
    }

    /// Writes a copy of another file into the file.
    package func copy(from source: String) throws(KeyStoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard input >= 0 else { throw .system("open", source) }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw Self.notRegular(source) }
        let output = try opened()
        defer { close(output) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, buffer.count)
            guard count >= 0 else { throw .system("read", source) }
            if count == 0 { return }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: output)
        }
    }

    /// Flushes the file to disk.
    package func synchronize() throws(KeyStoreError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .system("fsync", path) }
    }

    /// Renames the file to its final path. The change is durable when this returns.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the path exists, ``KeyStoreError/Code/unavailable`` if a system
    ///   call fails.
    package func publish() throws(KeyStoreError) {
        try synchronize()
        guard link(path, destination) == 0 else {
            if errno == EEXIST { throw Self.exists(destination) }
            throw .system("link", destination)
        }
        try synchronizeFolder()
    }

    /// Renames the file to its final path. If a file exists there, its mode and owner are preserved. The change is
    /// durable when this returns.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable`` if a system call fails, or if the existing file is not a regular
    ///   file.
    package func replace() throws(KeyStoreError) {
        var status = stat()
        if lstat(destination, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { throw Self.notRegular(destination) }
            // Set the owner first, because changing it may change the mode. The group does not matter if it has no
            // access.
            let isOwnerPreserved = chown(path, status.st_uid, status.st_gid) == 0
            guard isOwnerPreserved || status.st_uid == geteuid() && status.st_mode & 0o070 == 0 else {
                throw .system("preserve the owner", destination)
            }
            guard chmod(path, status.st_mode & 0o777) == 0 else { throw .system("preserve the mode", destination) }
        }
        try synchronize()
        guard rename(path, destination) == 0 else { throw .system("rename", destination) }
        try synchronizeFolder()
    }

    /// Deletes the temporary file, and the files that SQLite creates for a database of that name.
    package func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Returns the kind of file that a path refers to, with links resolved.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable``, also for folders and sockets.
    static func target(of path: String) throws(KeyStoreError) -> OutputTarget {
        do throws(FileError) { return try OutputTarget(path) } catch {
            throw KeyStoreError(.unavailable, place: path, reason: error.explanation)
        }
    }

    private static func exists(_ destination: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: destination, reason: "the file already exists")
    }

    private static func notRegular(_ destination: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: destination, reason: "it is not a regular file")
    }

    private func opened() throws(KeyStoreError) -> Int32 {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw .system("open", path) }
        return file
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(KeyStoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { throw .system("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// A new directory entry is durable only after the directory itself is flushed.
    private func synchronizeFolder() throws(KeyStoreError) {
        let end = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = end.map { $0 == destination.startIndex ? "/" : String(destination[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("open", parent) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system("fsync", parent) }
    }
}
