import FPSCrypto
import Glibc
import KeyStore

/// A file of mode 0600 that is written under another name first, so that it appears whole or not at all.
struct DraftFile {
    /// Where it is meanwhile.
    let path: String

    /// Makes an empty file beside the place where it is to be.
    init(for place: String) throws(KeyStoreError) {
        var random = SecureRandom()
        path = place + ".\(random.next())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("create", path) }
        close(file)
    }

    /// Fills it with a copy of another file.
    func copy(from source: String) throws(KeyStoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard input >= 0 else { throw .system("open", source) }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw KeyStoreError(.unavailable, place: source, reason: "it is not a plain file")
        }
        let output = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard output >= 0 else { throw .system("open", path) }
        defer { close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            guard count >= 0 else { throw .system("read", source) }
            if count == 0 { return }
            var start = 0
            while start < count {
                let written = buffer[start..<count].withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                guard written > 0 else { throw .system("write", path) }
                start += written
            }
        }
    }

    /// Writes it to the disk.
    func synchronize() throws(KeyStoreError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .system("fsync", path) }
    }

    /// Gives it its name, which must be free.
    func publish(as place: String) throws(KeyStoreError) {
        try synchronize()
        guard link(path, place) == 0 else {
            if errno == EEXIST { throw KeyStoreError(.conflict, place: place, reason: "the file exists") }
            throw .system("link", place)
        }
        let end = place.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = end.map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("open", parent) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system("fsync", parent) }
    }

    /// Removes it, and what SQLite puts beside a database.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }
}
