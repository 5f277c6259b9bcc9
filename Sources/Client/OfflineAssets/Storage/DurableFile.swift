import FileWriting
import Foundation
import TextCoding

/// Atomic writes of files: to a temporary file, which is synchronized to the disk and renamed, and then the folder is
/// synchronized. Files have mode 0600.
enum DurableFile {
    /// The suffix of temporary files.
    static let draftSuffix = ".draft"

    /// Returns the contents of a file; nil if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The maximum size, in bytes.
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
            throw OfflineStorageError(
                .tooLarge,
                place: path,
                reason: "\(counted(status.st_size, "byte")), expected at most \(limit)"
            )
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

    /// Replaces the contents of a file atomically. The new contents are on the disk when this returns; after an error
    /// or a crash, the file is unchanged.
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

    /// Creates a file; returns false if it already exists.
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

    /// Removes a file and synchronizes the removal to the disk; returns false if it does not exist.
    @discardableResult
    static func remove(_ path: String) throws(OfflineStorageError) -> Bool {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw .system("unlink", path)
        }
        try synchronize(folderOf: path)
        return true
    }

    /// Creates a folder with mode 0700, and its parent folders.
    static func makeFolder(_ path: String) throws(OfflineStorageError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let parent = parent(of: path), parent != path else { throw .system("mkdir", path) }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("mkdir", path) }
    }

    /// Returns whether a folder, or the parent folder in which it would be created, cannot be written.
    static func isReadOnly(_ path: String) -> Bool {
        guard access(path, W_OK | X_OK) != 0 else { return false }
        switch errno {
        case EROFS, EACCES, EPERM: return true
        case ENOENT: return parent(of: path).map { $0 != path && isReadOnly($0) } ?? false
        default: return false
        }
    }

    /// Returns the sorted names in a folder; empty if it does not exist.
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

    /// Synchronizes the folder of a file, so that a new name survives a crash.
    private static func synchronize(folderOf path: String) throws(OfflineStorageError) {
        let parent = parent(of: path) ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system("open", parent) }
        defer { close(folder) }
        guard Durability.synchronize(folder) == 0 else { throw .system("fsync", parent) }
    }

    /// Returns the folder of a path; nil for a name without a folder.
    static func parent(of path: String) -> String? {
        let path = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
        guard let end = path.lastIndex(of: "/") else { return nil }
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}

extension OfflineStorageError {
    /// Returns the error of a system call, by default with `errno`.
    static func system(_ call: String, _ path: String, _ number: Int32 = errno) -> OfflineStorageError {
        OfflineStorageError(
            number == ENOSPC || number == EDQUOT ? .diskFull : .fileSystem,
            place: path,
            reason: "\(call): \(String(cString: strerror(number)))"
        )
    }
}
