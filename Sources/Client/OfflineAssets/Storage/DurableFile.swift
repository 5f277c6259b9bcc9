import FileWriting
import Foundation

/// Files that are there whole or not at all: written under another name, put on the disk, renamed, and the folder put on
/// the disk. Their mode is 0600.
enum DurableFile {
    /// What the name of an unfinished file ends with.
    static let draftSuffix = ".draft"

    /// What is in a file; nil when there is none.
    ///
    /// - Parameter limit: the greatest size that is taken, in bytes.
    static func read(_ path: String, limit: Int) throws(OfflineStorageError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw OfflineStorageError(.fileSystem, place: path, reason: "not a regular file")
        }
        guard status.st_size <= limit else {
            throw OfflineStorageError(.tooLarge, place: path, reason: "\(status.st_size) bytes, \(limit) at most")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let got = bytes[count...].withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
            guard got >= 0 else { throw .system("read", path) }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// Puts bytes in the place of what a file holds. When this returns they are there for good; when it throws, and when
    /// the machine stops in between, the file is as it was.
    static func write(_ bytes: [UInt8], to path: String) throws(OfflineStorageError) {
        let draft = path + ".\(UInt64.random(in: 0 ... .max))" + draftSuffix
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("create", draft) }
        do throws(OfflineStorageError) {
            defer { close(file) }
            try write(bytes, to: file, draft)
            guard Durability.synchronize(file) == 0 else { throw .system("fsync", draft) }
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let error = OfflineStorageError.system("rename", path)
            unlink(draft)
            throw error
        }
        try synchronize(folderOf: path)
    }

    /// Makes a file that was not there; false when it is.
    static func create(_ bytes: [UInt8], at path: String) throws(OfflineStorageError) -> Bool {
        let draft = path + ".\(UInt64.random(in: 0 ... .max))" + draftSuffix
        try write(bytes, to: draft)
        defer { unlink(draft) }
        guard link(draft, path) == 0 else {
            if errno == EEXIST { return false }
            throw .system("link", path)
        }
        try synchronize(folderOf: path)
        return true
    }

    /// Removes a file, for good once this returns; false when there was none.
    @discardableResult
    static func remove(_ path: String) throws(OfflineStorageError) -> Bool {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw .system("unlink", path)
        }
        try synchronize(folderOf: path)
        return true
    }

    /// Makes a folder of mode 0700, and those above it.
    static func makeFolder(_ path: String) throws(OfflineStorageError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let parent = parent(of: path), parent != path else { throw .system("mkdir", path) }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("mkdir", path) }
    }

    /// The names in a folder, sorted; none when it is not there.
    static func names(in folder: String) throws(OfflineStorageError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw .system("opendir", folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws(OfflineStorageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// A new name in a folder lasts only when the folder is on the disk.
    private static func synchronize(folderOf path: String) throws(OfflineStorageError) {
        let parent = parent(of: path) ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("open", parent) }
        defer { close(folder) }
        guard Durability.synchronize(folder) == 0 else { throw .system("fsync", parent) }
    }

    /// Nil for a name without a folder.
    private static func parent(of path: String) -> String? {
        let path = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let end = path.lastIndex(of: "/") else { return nil }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}

extension OfflineStorageError {
    /// What a system call said: `errno`, unless given.
    static func system(_ call: String, _ path: String, _ number: Int32 = errno) -> OfflineStorageError {
        OfflineStorageError(
            number == ENOSPC || number == EDQUOT ? .diskFull : .fileSystem,
            place: path,
            reason: "\(call): \(String(cString: strerror(number)))"
        )
    }
}
