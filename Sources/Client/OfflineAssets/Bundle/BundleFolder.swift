import FPSCrypto
import FileWriting
import Foundation

/// The files of a bundle as the system has them. Files are the owner's alone: URLs may hold tokens.
struct BundleFolder: Sendable, Hashable {
    /// Its path.
    let path: String

    init(_ path: String) { self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

    func path(of file: String) -> String { "\(path)/\(file)" }

    /// Makes the folder and those above it.
    func create() throws(AssetBundleError) {
        var parts = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            parts += part
            if !parts.isEmpty, mkdir(parts, 0o700) != 0, errno != EEXIST, errno != EISDIR { throw failure(parts) }
            parts += "/"
        }
    }

    /// Makes a folder inside.
    func create(folder: String) throws(AssetBundleError) {
        guard mkdir(path(of: folder), 0o700) == 0 || errno == EEXIST else { throw failure(folder) }
    }

    /// What is in it, without `.` and `..`; nil where it is not there.
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

    /// Whether a file is there.
    func has(_ file: String) -> Bool { access(path(of: file), F_OK) == 0 }

    func remove(_ file: String) throws(AssetBundleError) {
        guard unlink(path(of: file)) == 0 || errno == ENOENT else { throw failure(file) }
    }

    /// Writes a file that is there whole or not at all, whatever happens meanwhile: under another name, to the disk, and
    /// then under its own.
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

    /// Writes the names in a folder to the disk: this one, or one inside.
    func synchronize(folder: String? = nil) throws(AssetBundleError) {
        let descriptor = open(folder.map(path(of:)) ?? path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder ?? path) }
        defer { close(descriptor) }
        guard Durability.synchronize(descriptor) == 0 else { throw failure(folder ?? path) }
    }

    /// Reads a plain file.
    ///
    /// - Throws: ``AssetBundleError`` `missing`, `damaged` where it is larger than `limit` or no plain file, `storage`.
    func read(_ file: String, atMost limit: Int) throws(AssetBundleError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPart(of: file) { part throws(AssetBundleError) in
            guard bytes.count + part.count <= limit else { throw AssetBundleError(.damaged, file, "it is too large") }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    /// The length of a plain file in bytes and its SHA-256.
    func content(of file: String) throws(AssetBundleError) -> BundleResource.Content {
        var hash = SHA256Stream()
        var length: UInt64 = 0
        try forEachPart(of: file) { part in
            hash.update(part)
            length += UInt64(part.count)
        }
        return BundleResource.Content(length: length, sha256: hash.finish())
    }

    /// Hands out a plain file in parts of up to 1 MiB.
    private func forEachPart(
        of file: String,
        _ body: (UnsafeRawBufferPointer) throws(AssetBundleError) -> Void
    ) throws(AssetBundleError) {
        let descriptor = open(path(of: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw AssetBundleError(.missing, file, "it is not there") }
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

    /// The length of a file without reading it; nil where there is no plain file.
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
        AssetBundleError(.storage, file, String(cString: strerror(code)))
    }
}

/// Writes all of some bytes; the system's error number where that fails.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        // Nothing written without an error is no progress either.
        guard count > 0 else { return count == 0 ? ENOSPC : errno }
        rest = rest.dropFirst(count)
    }
    return nil
}
