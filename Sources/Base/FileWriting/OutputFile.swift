import Foundation

/// A writer for the path of an output option, which does not destroy existing files if writing fails.
///
/// - A regular file is written atomically: a temporary file is written to the same folder and renamed. The new file
///   gets the mode and the owner of the file that it replaces; other hard links keep the old content. If the folder
///   does not allow new files or renaming, the file is written in place.
/// - A symbolic link is followed and stays, even if its target does not exist yet.
/// - A device, a named pipe, `/dev/stdout` or `/dev/fd/N` is opened and written directly. A socket is an error.
///
/// Access control lists and extended attributes of a replaced file are not copied. An instance must not be used by
/// several threads at the same time.
package final class OutputFile {
    /// The users who can read a new file.
    package enum Access: Sendable {
        /// All users, within the limits of the umask.
        case allUsers
        /// Only the owner. An existing file keeps the rights of its group, unless all users had rights.
        case owner

        fileprivate var mode: mode_t { self == .owner ? 0o600 : 0o644 }
    }

    /// The time at which the written bytes become visible in a regular file.
    package enum Visibility: Sendable {
        /// The whole content becomes visible at the end, atomically.
        case whole
        /// A new file is visible while it grows; an existing file is replaced atomically at the end.
        case growing
        /// The file is visible while it grows. The first write truncates an existing file.
        case inPlace
        /// The file is visible while it grows. Bytes are appended to an existing file.
        case appending
    }

    /// The path that was passed to the initializer.
    package let path: String
    /// The number of bytes written.
    package private(set) var count = 0

    private var descriptor: Int32
    /// The path of the temporary file that is renamed at the end; nil if the target is written directly.
    private var temporary: String?
    /// The path with its symbolic links resolved.
    private let target: String
    private let replaces: Bool
    private let isDurable: Bool
    /// True if a regular file exists that will be replaced.
    private var isReplacement = false
    /// True if a file that is written in place still has its old content.
    private var mustTruncate = false
    /// True if an empty file was created at the target, which is removed if writing does not finish.
    private var createdTarget = false

    /// Opens the output for writing.
    ///
    /// - Parameters:
    ///   - replaces: whether an existing file may be replaced or written.
    ///   - isDurable: whether a file that becomes visible atomically is flushed to the disk before it is renamed.
    /// - Throws: ``FileError``.
    package init(
        _ path: String,
        access: Access = .allUsers,
        replaces: Bool = true,
        visibility: Visibility = .whole,
        isDurable: Bool = true
    ) throws(FileError) {
        (self.path, self.replaces, self.isDurable) = (path, replaces, isDurable)
        descriptor = -1
        switch try OutputTarget(path) {
        case .descriptor(let number):
            target = path
            guard replaces else { throw FileError(.create, path: path, code: EEXIST) }
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw FileError(.write, path: path, code: errno) }
        case .special(let place):
            target = place
            guard replaces else { throw FileError(.create, path: path, code: EEXIST) }
            try open(place, O_WRONLY | O_NOCTTY)
        case .regular(let place, let status):
            target = place
            guard replaces else { throw FileError(.create, path: path, code: EEXIST) }
            // Renaming would replace a file that its owner has write-protected.
            guard faccessat(AT_FDCWD, place, W_OK, AT_EACCESS) == 0 else {
                throw FileError(.write, path: path, code: errno)
            }
            isReplacement = true
            switch visibility {
            case .whole, .growing: try replace(status, access)
            case .inPlace: try openInPlace()
            case .appending: try open(place, O_WRONLY | O_APPEND | O_NOFOLLOW)
            }
        case .new(let place):
            target = place
            guard visibility == .whole else {
                try open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, access.mode)
                createdTarget = true
                return
            }
            let file = try TemporaryFile(in: OutputTarget.folder(of: place), mode: access.mode, for: path)
            (temporary, descriptor) = (file.path, file.descriptor)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if let temporary { unlink(temporary) } else if createdTarget, count == 0 { unlink(target) }
    }

    /// Appends bytes to the bytes that were written.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try truncate()
        guard writeAll(bytes, to: descriptor) else { throw FileError(.write, path: path, code: errno) }
        count += bytes.count
    }

    /// Appends bytes to the bytes that were written.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try truncate()
        guard writeAll(bytes, to: descriptor) else { throw FileError(.write, path: path, code: errno) }
        count += bytes.count
    }

    /// Renames the temporary file to the target and closes it. Without this call, an existing file stays unchanged, and
    /// a new file that should become visible atomically does not appear.
    ///
    /// - Throws: ``FileError``.
    package func finish() throws(FileError) {
        try truncate()
        if let temporary { try publish(temporary) }
        let descriptor = descriptor
        self.descriptor = -1
        guard close(descriptor) == 0 || errno == EINTR else { throw FileError(.write, path: path, code: errno) }
    }

    /// Returns mapped memory of the given size in bytes that becomes the content of the file, so that no copy is
    /// necessary. Returns nil if the file cannot be mapped; the caller must then use `write`.
    ///
    /// - Throws: ``FileError`` if the disk is full.
    package func reserve(_ size: Int) throws(FileError) -> UnsafeMutableRawBufferPointer? {
        guard temporary != nil, size > 0 else { return nil }
        let room = try Self.map(descriptor, size: size, path: path)
        count = size
        return room
    }

    /// Returns mapped memory of an unnamed temporary file with the given size in bytes.
    ///
    /// - Throws: ``FileError`` if the disk is full.
    package static func scratch(_ size: Int, for path: String) throws(FileError) -> UnsafeMutableRawBufferPointer {
        let file = try TemporaryFile(in: NSTemporaryDirectory(), mode: 0o600, for: path)
        defer { close(file.descriptor) }
        unlink(file.path)
        return try map(file.descriptor, size: size, path: path)
    }

    private static func map(
        _ descriptor: Int32,
        size: Int,
        path: String
    ) throws(FileError) -> UnsafeMutableRawBufferPointer {
        let code = allocate(descriptor, size)
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { throw FileError(.write, path: path, code: errno) }
        return UnsafeMutableRawBufferPointer(start: address, count: size)
    }

    /// Allocates space on the disk, so that a full disk causes an error and not a signal.
    private static func allocate(_ descriptor: Int32, _ size: Int) -> Int32 {
        #if canImport(Darwin)
        return ftruncate(descriptor, off_t(size)) == 0 ? 0 : errno
        #else
        return posix_fallocate(descriptor, 0, off_t(size))
        #endif
    }
}

extension OutputFile {
    private func open(_ place: String, _ flags: Int32, _ mode: mode_t = 0) throws(FileError) {
        repeat { descriptor = Foundation.open(place, flags | O_CLOEXEC, mode) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else {
            throw FileError(flags & O_CREAT == 0 ? .write : .create, path: path, code: errno)
        }
    }

    private func openInPlace() throws(FileError) {
        try open(target, O_WRONLY | O_NOFOLLOW)
        mustTruncate = true
    }

    /// Opens the temporary file that replaces an existing file.
    private func replace(_ status: stat, _ access: Access) throws(FileError) {
        let file: TemporaryFile
        do {
            file = try TemporaryFile(in: OutputTarget.folder(of: target), mode: 0o600, for: path)
        } catch {
            // The folder does not allow new files, but the file itself can be writable.
            guard [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
            return try openInPlace()
        }
        let (name, descriptor) = (file.path, file.descriptor)
        var mode = status.st_mode & 0o7777
        if access == .owner, mode & 0o007 != 0 { mode = 0o600 }
        var own = stat()
        let hasSameOwner =
            fstat(descriptor, &own) == 0
            && (own.st_uid == status.st_uid && own.st_gid == status.st_gid
                || fchown(descriptor, status.st_uid, status.st_gid) == 0)
        guard hasSameOwner, fchmod(descriptor, mode) == 0 else {
            close(descriptor)
            unlink(name)
            return try openInPlace()
        }
        (temporary, self.descriptor) = (name, descriptor)
    }

    private func truncate() throws(FileError) {
        guard mustTruncate else { return }
        guard ftruncate(descriptor, 0) == 0 else { throw FileError(.write, path: path, code: errno) }
        mustTruncate = false
    }

    private func publish(_ temporary: String) throws(FileError) {
        if isDurable, Durability.synchronize(descriptor) != 0 { throw FileError(.write, path: path, code: errno) }
        defer {
            unlink(temporary)
            self.temporary = nil
        }
        // link(2) fails if the name exists, while rename(2) replaces the file.
        if (replaces ? rename(temporary, target) : link(temporary, target)) == 0 { return }
        // rename(2) cannot replace a file that is a mount point, or a file of another user in a folder with the sticky
        // bit.
        guard isReplacement, [EBUSY, EPERM, EACCES].contains(errno) else {
            throw FileError(replaces ? .rename : .create, path: path, code: errno)
        }
        let temporaryDescriptor = descriptor
        defer { close(temporaryDescriptor) }
        try openInPlace()
        try truncate()
        try copy(from: temporaryDescriptor)
    }

    private func copy(from source: Int32) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = off_t(0)
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(source, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(.write, path: path, code: errno) }
            guard count > 0 else { return }
            guard buffer.withUnsafeBytes({ writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: descriptor) })
            else { throw FileError(.write, path: path, code: errno) }
            offset += off_t(count)
        }
    }
}

/// Writes all bytes to a descriptor; waits if a nonblocking descriptor is not ready. Returns false with the reason in
/// `errno` for a failure.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        if written < 0, errno == EAGAIN {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, -1)
            continue
        }
        guard written > 0 else { return false }
        rest = rest.dropFirst(written)
    }
    return true
}

/// Writes all bytes to a descriptor. Returns false with the reason in `errno` for a failure.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}
