import Glibc

/// The reason why an upload is refused.
package enum UploadFailure: Error, Hashable, Sendable {
    /// The disk or the quota is full (status 507).
    case noSpace
    /// The bytes do not continue or equal the file (status 409); the value is the size of the file.
    case conflict(size: Int)
    /// A component of the path is not a folder (status 409).
    case notFolder
    /// Another error of the system (status 500), with its number.
    case system(Int32)

    init(_ code: Int32) {
        switch code {
        case ENOSPC, EDQUOT: self = .noSpace
        case ENOTDIR, ELOOP, EISDIR, EEXIST: self = .notFolder
        default: self = .system(code)
        }
    }
}

/// Writes uploads into a folder. A whole file is written beside its place and renamed; a part is appended in
/// one step, and cut off again if the disk is full.
package struct WritableFolder: Sendable {
    private let access: FolderAccess

    /// Creates a writer.
    package init(access: FolderAccess) { self.access = access }

    /// A file that is being written beside its place. It is removed with the object unless it was published.
    package final class Temporary: Sendable {
        fileprivate let folder: Int32
        fileprivate let descriptor: Int32
        fileprivate let name: String

        fileprivate init(folder: Int32, descriptor: Int32, name: String) {
            self.folder = folder
            self.descriptor = descriptor
            self.name = name
        }

        deinit {
            unlinkat(folder, name, 0)
            close(descriptor)
            close(folder)
        }

        /// Appends bytes.
        package func write(_ bytes: UnsafeRawBufferPointer) throws(UploadFailure) {
            let code = WritableFolder.writeAll(bytes, descriptor, at: nil)
            if code != 0 { throw UploadFailure(code) }
        }
    }

    /// Creates a file beside a path, whose folders are created.
    package func create(for path: String) throws(UploadFailure) -> Temporary {
        let (folder, _) = try openFolder(of: path)
        let name = ".upload-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let code = errno
            close(folder)
            throw UploadFailure(code)
        }
        return Temporary(folder: folder, descriptor: descriptor, name: name)
    }

    /// Renames a complete file to its path.
    ///
    /// - Returns: Whether the path had no file before.
    package func publish(_ file: Temporary, at path: String) throws(UploadFailure) -> Bool {
        let name = Self.lastComponent(path)
        let isNew = faccessat(file.folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0
        guard renameat(file.folder, file.name, file.folder, name) == 0 else { throw UploadFailure(errno) }
        return isNew
    }

    /// Appends a part to a file, which is created if the part is the first.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the part.
    ///   - first: The position of its first byte.
    ///   - total: The size of the complete file, if it is known.
    /// - Returns: Whether the file was created.
    /// - Throws: ``UploadFailure/conflict(size:)`` if the part begins after the end of the file, or overlaps other bytes.
    package func append(
        _ bytes: UnsafeRawBufferPointer,
        at first: Int,
        total: Int?,
        to path: String
    ) throws(UploadFailure) -> Bool {
        let (folder, name) = try openFolder(of: path)
        defer { close(folder) }
        var isNew = false
        var descriptor = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            guard first == 0 else { throw .conflict(size: 0) }
            descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
            isNew = true
        }
        guard descriptor >= 0 else { throw UploadFailure(errno) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw UploadFailure(errno) }
        guard status.kind == .regular else { throw .notFolder }
        let size = status.size
        if let total, size > total { throw .conflict(size: size) }
        guard first <= size else { throw .conflict(size: size) }
        let known = min(size - first, bytes.count)
        guard known == 0 || Self.equals(bytes, count: known, descriptor, at: first) else {
            throw .conflict(size: size)
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[known...])
        let code = Self.writeAll(rest, descriptor, at: first + known)
        guard code == 0 else {
            // Nothing half-written remains.
            if isNew { unlinkat(folder, name, 0) } else { ftruncate(descriptor, off_t(size)) }
            throw UploadFailure(code)
        }
        return isNew
    }

    /// Removes a file.
    ///
    /// - Returns: Whether it existed.
    package func remove(_ path: String) throws(UploadFailure) -> Bool {
        let components = path.split(separator: "/")
        let parent = components.dropLast().joined(separator: "/")
        let opened: Int32?
        do throws(FolderError) {
            opened = try access.openAt(parent, O_RDONLY | O_DIRECTORY)
        } catch {
            throw UploadFailure(error.code)
        }
        guard let opened else { return false }
        defer { close(opened) }
        if unlinkat(opened, Self.lastComponent(path), 0) == 0 { return true }
        if errno == ENOENT { return false }
        throw UploadFailure(errno)
    }

    // MARK: Helpers

    /// Opens the folder of a path, and creates it if necessary.
    private func openFolder(of path: String) throws(UploadFailure) -> (descriptor: Int32, name: String) {
        let components = path.split(separator: "/").map(String.init)
        var folder = open(access.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw UploadFailure(errno) }
        for name in components.dropLast() {
            if mkdirat(folder, name, 0o755) != 0, errno != EEXIST {
                let code = errno
                close(folder)
                throw UploadFailure(code)
            }
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            close(folder)
            guard next >= 0 else { throw UploadFailure(code) }
            folder = next
        }
        return (folder, components.last ?? "")
    }

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }

    /// Writes all bytes, at a position or the current one, and returns 0 or the system's error number.
    fileprivate static func writeAll(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, at position: Int?) -> Int32 {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                position.map { pwrite(descriptor, rest.baseAddress, rest.count, off_t($0 + done)) }
                ?? Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            done += count
        }
        return 0
    }

    /// Returns whether the first bytes equal those of a file at a position.
    private static func equals(
        _ bytes: UnsafeRawBufferPointer,
        count: Int,
        _ descriptor: Int32,
        at position: Int
    ) -> Bool {
        var stored = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = stored.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(position + done))
            }
            guard part > 0 else { return false }
            done += part
        }
        return bytes.prefix(count).elementsEqual(stored)
    }
}
