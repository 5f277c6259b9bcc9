import FPSCrypto
import FileWriting
import Foundation

/// The folder of a bundle in the file system. Only the owner can read its files, because URLs may contain tokens.
struct BundleFolder: Sendable, Hashable {
    /// The path of the folder.
    let path: String

    init(_ path: String) { self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    func path(of file: String) -> String { "\(path)/\(file)" }

    /// Creates the folder and its parent folders.
    func create() throws(AssetBundleError) {
        var parts = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            parts += part
            if !parts.isEmpty, mkdir(parts, 0o700) != 0, errno != EEXIST, errno != EISDIR { throw failure(parts) }
            parts += "/"
        }
    }

    /// Creates a subfolder.
    func create(folder: String) throws(AssetBundleError) {
        guard mkdir(path(of: folder), 0o700) == 0 || errno == EEXIST else { throw failure(folder) }
    }

    /// Returns the names of the entries, without `.` and `..`; nil if the folder does not exist.
    func entries() throws(AssetBundleError) -> [String]? {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return nil }
            throw failure(path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns whether a file exists.
    func has(_ file: String) -> Bool { access(path(of: file), F_OK) == 0 }

    func remove(_ file: String) throws(AssetBundleError) {
        guard unlink(path(of: file)) == 0 || errno == ENOENT else { throw failure(file) }
    }

    /// Writes a file atomically: to a temporary file, which is synchronized to the disk and then renamed.
    func write(_ bytes: [UInt8], to file: String) throws(AssetBundleError) {
        let temporary = path(of: file + ".new")
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        let isWritten =
            bytes.withUnsafeBytes { writeAll($0, to: descriptor) == nil } && Durability.synchronize(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unlink(temporary)
            throw failure(file, code)
        }
        guard rename(temporary, path(of: file)) == 0 else { throw failure(file) }
        try synchronize()
    }

    /// Synchronizes the directory entries of this folder or a subfolder to the disk.
    func synchronize(folder: String? = nil) throws(AssetBundleError) {
        let descriptor = open(folder.map(path(of:)) ?? path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder ?? path) }
        defer { close(descriptor) }
        guard Durability.synchronize(descriptor) == 0 else { throw failure(folder ?? path) }
    }

    /// Reads a regular file.
    ///
    /// - Throws: ``AssetBundleError`` `missing`, `storage`, or `damaged` if the file is larger than `limit` or not a
    ///   regular file.
    func read(_ file: String, atMost limit: Int) throws(AssetBundleError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPart(of: file) { part throws(AssetBundleError) in
            guard bytes.count + part.count <= limit else {
                throw AssetBundleError(.damaged, file, "the file is larger than \(limit) bytes")
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    /// Returns the length of a regular file in bytes and its SHA-256.
    func content(of file: String) throws(AssetBundleError) -> BundleResource.Content {
        var hash = SHA256Stream()
        var length: UInt64 = 0
        try forEachPart(of: file) { part in
            hash.update(part)
            length += UInt64(part.count)
        }
        return BundleResource.Content(length: length, sha256: hash.finish())
    }

    /// Calls a function with parts of a regular file of up to 1 MiB.
    private func forEachPart(
        of file: String,
        _ body: (UnsafeRawBufferPointer) throws(AssetBundleError) -> Void
    ) throws(AssetBundleError) {
        let descriptor = open(path(of: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw AssetBundleError(.missing, file, "the file does not exist") }
            throw failure(file)
        }
        defer { close(descriptor) }
        guard size(of: descriptor) != nil else { throw AssetBundleError(.damaged, file, "not a regular file") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Returns the length of a file without reading it; nil if there is no regular file.
    func length(of file: String) -> UInt64? {
        let descriptor = open(path(of: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return size(of: descriptor)
    }

    private func size(of descriptor: Int32) -> UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(exactly: status.st_size)
    }

    private func failure(_ file: String, _ code: Int32 = errno) -> AssetBundleError {
        AssetBundleError(DiskError.isFull(code) ? .diskFull : .storage, file, String(cString: strerror(code)))
    }
}

/// Writes all bytes. Returns the system's error number if that fails.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        // A write of 0 bytes without an error is also a failure.
        guard count > 0 else { return count == 0 ? ENOSPC : errno }
        rest = rest.dropFirst(count)
    }
    return nil
}
