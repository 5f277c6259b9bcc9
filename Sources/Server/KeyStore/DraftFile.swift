package import FPSCrypto
import FileWriting
import Glibc

/// A file of mode 0600 that is written under another name first, so that it appears whole or not at all: another process
/// never reads half of it, and a power failure leaves none.
package struct DraftFile {
    /// Where it is meanwhile.
    package let path: String
    /// Where it is to be, with links followed.
    private let place: String

    /// Creates an empty file beside the place where it is to be.
    ///
    /// - Parameter replacing: Whether there may be a file already, which ``replace()`` then replaces.
    /// - Throws: ``KeyStoreError/Code/unavailable``, also when a folder, a pipe or a device is there, which is never
    ///   replaced; ``KeyStoreError/Code/conflict``.
    package init(for place: String, replacing: Bool = true) throws(KeyStoreError) {
        let target: String
        switch try Self.target(of: place) {
        case .new(let path): target = path
        case .regular(let path, _):
            guard replacing else { throw Self.exists(place) }
            target = path
        case .special, .descriptor: throw Self.notRegular(place)
        }
        self.place = target
        var random = SecureRandom()
        path = target + ".\(random.next())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("create", place) }
        close(file)
    }

    /// Fills it with a secret.
    package func write(_ secret: SecretBytes) throws(KeyStoreError) {
        let output = try opened()
        defer { close(output) }
        try secret.withUnsafeBytes { bytes throws(KeyStoreError) in try write(bytes, to: output) }
    }

    /// Fills it with a copy of another file.
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

    /// Writes it to the disk.
    package func synchronize() throws(KeyStoreError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .system("fsync", path) }
    }

    /// Gives it its name, for good once this returns.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the name is taken, ``KeyStoreError/Code/unavailable``.
    package func publish() throws(KeyStoreError) {
        try synchronize()
        guard link(path, place) == 0 else {
            if errno == EEXIST { throw Self.exists(place) }
            throw .system("link", place)
        }
        try synchronizeFolder()
    }

    /// Gives it the name of a file that is there, whose mode and owner it takes over, or of none; for good once this
    /// returns.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable``, also when what is there is not a regular file.
    package func replace() throws(KeyStoreError) {
        var status = stat()
        if lstat(place, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { throw Self.notRegular(place) }
            // The owner first: changing it may change the mode. A group that has no access does not matter.
            let isKept = chown(path, status.st_uid, status.st_gid) == 0
            guard isKept || status.st_uid == geteuid() && status.st_mode & 0o070 == 0 else {
                throw .system("keep the owner of", place)
            }
            guard chmod(path, status.st_mode & 0o777) == 0 else { throw .system("keep the mode of", place) }
        }
        try synchronize()
        guard rename(path, place) == 0 else { throw .system("rename", place) }
        try synchronizeFolder()
    }

    /// Removes it, and what SQLite puts beside a database.
    package func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// What a path names, with links followed.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable``, also for folders and sockets.
    static func target(of path: String) throws(KeyStoreError) -> OutputTarget {
        do throws(FileFailure) { return try OutputTarget(path) } catch {
            throw KeyStoreError(.unavailable, place: path, reason: error.words)
        }
    }

    private static func exists(_ place: String) -> KeyStoreError {
        KeyStoreError(.conflict, place: place, reason: "the file exists")
    }

    private static func notRegular(_ place: String) -> KeyStoreError {
        KeyStoreError(.unavailable, place: place, reason: "it is not a regular file")
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

    /// A new name in a folder is durable only when the folder itself is.
    private func synchronizeFolder() throws(KeyStoreError) {
        let end = place.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = end.map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("open", parent) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system("fsync", parent) }
    }
}
