import Foundation

/// Writes what an output option names, and destroys nothing on the way.
///
/// - A regular file is there whole or not at all: another one is written beside it and renamed. A file that was there keeps
///   its mode and its owner; its other names (hard links) keep the old content. Where its folder takes no new file, or
///   forbids the renaming, it is written in place.
/// - A symbolic link is followed and stays, also one whose file is not there yet.
/// - A device, a named pipe, `/dev/stdout` or `/dev/fd/N` is written through. A socket is an error.
///
/// Access control lists and extended attributes of a replaced file are not carried over. One thread at a time uses a value.
package final class OutputFile {
    /// Who may read a new file.
    package enum Access: Sendable {
        /// Everybody, as far as the umask lets them.
        case everybody
        /// Its owner alone. A file that is there keeps the rights of its group, unless everybody had rights.
        case owner

        fileprivate var mode: mode_t { self == .owner ? 0o600 : 0o644 }
    }

    /// When a regular file shows what is written.
    package enum Visibility: Sendable {
        /// At the end, all at once.
        case whole
        /// A new file as it grows; one that is there at the end, all at once.
        case growing
        /// As it grows. A file that is there is emptied by the first write.
        case inPlace
        /// As it grows, behind what is there.
        case appending
    }

    /// The path, as it was given.
    package let path: String
    /// How many bytes were written.
    package private(set) var count = 0

    private var descriptor: Int32
    /// The file that will get the name at the end; nil where the target itself is written.
    private var temporary: String?
    /// The path with links followed.
    private let target: String
    private let replaces: Bool
    private let isDurable: Bool
    /// Whether there was a regular file that is to be replaced.
    private var isReplacement = false
    /// Whether the file that is written in place still has its old content.
    private var mustTruncate = false
    /// Whether an empty file was made under its own name, which goes where nothing is written.
    private var isMade = false

    /// Begins to write.
    ///
    /// - Parameters:
    ///   - replaces: Whether what is there may be replaced, or written through.
    ///   - isDurable: Whether a file that appears whole is on the disk before it gets its name.
    /// - Throws: ``FileFailure``.
    package init(
        _ path: String,
        access: Access = .everybody,
        replaces: Bool = true,
        visibility: Visibility = .whole,
        isDurable: Bool = true
    ) throws(FileFailure) {
        (self.path, self.replaces, self.isDurable) = (path, replaces, isDurable)
        descriptor = -1
        switch try OutputTarget(path) {
        case .descriptor(let number):
            target = path
            guard replaces else { throw FileFailure(.create, path: path, code: EEXIST) }
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw FileFailure(.write, path: path, code: errno) }
        case .special(let place):
            target = place
            guard replaces else { throw FileFailure(.create, path: path, code: EEXIST) }
            try open(place, O_WRONLY | O_NOCTTY)
        case .regular(let place, let status):
            target = place
            guard replaces else { throw FileFailure(.create, path: path, code: EEXIST) }
            // Renaming would replace what its owner has protected.
            guard faccessat(AT_FDCWD, place, W_OK, AT_EACCESS) == 0 else {
                throw FileFailure(.write, path: path, code: errno)
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
                isMade = true
                return
            }
            let file = try TemporaryFile(in: OutputTarget.folder(of: place), mode: access.mode, for: path)
            (temporary, descriptor) = (file.path, file.descriptor)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if let temporary { unlink(temporary) } else if isMade, count == 0 { unlink(target) }
    }

    /// Writes bytes behind those that were written.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        try truncate()
        guard writeAll(bytes, to: descriptor) else { throw FileFailure(.write, path: path, code: errno) }
        count += bytes.count
    }

    /// Writes bytes behind those that were written.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ bytes: [UInt8]) throws(FileFailure) {
        try truncate()
        guard writeAll(bytes, to: descriptor) else { throw FileFailure(.write, path: path, code: errno) }
        count += bytes.count
    }

    /// Gives the file its name, and closes it. Without this, a file that was there is as it was, and a new one that should
    /// appear whole does not.
    ///
    /// - Throws: ``FileFailure``.
    package func finish() throws(FileFailure) {
        try truncate()
        if let temporary { try publish(temporary) }
        let descriptor = descriptor
        self.descriptor = -1
        guard close(descriptor) == 0 || errno == EINTR else { throw FileFailure(.write, path: path, code: errno) }
    }

    /// Room of a given size that becomes the content: mapped memory of the file that gets the name at the end, so that no
    /// copy is made. Nil where that is not possible; then the content is to be written.
    ///
    /// - Throws: ``FileFailure`` where the disk has no room.
    package func reserve(_ size: Int) throws(FileFailure) -> UnsafeMutableRawBufferPointer? {
        guard temporary != nil, size > 0 else { return nil }
        let room = try Self.map(descriptor, size: size, path: path)
        count = size
        return room
    }

    /// Room on the disk of a given size that has no name, to be written afterwards.
    ///
    /// - Throws: ``FileFailure`` where the disk has no room.
    package static func scratch(_ size: Int, for path: String) throws(FileFailure) -> UnsafeMutableRawBufferPointer {
        let file = try TemporaryFile(in: NSTemporaryDirectory(), mode: 0o600, for: path)
        defer { close(file.descriptor) }
        unlink(file.path)
        return try map(file.descriptor, size: size, path: path)
    }

    private static func map(
        _ descriptor: Int32,
        size: Int,
        path: String
    ) throws(FileFailure) -> UnsafeMutableRawBufferPointer {
        let code = allocate(descriptor, size)
        guard code == 0 else { throw FileFailure(.write, path: path, code: code) }
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { throw FileFailure(.write, path: path, code: errno) }
        return UnsafeMutableRawBufferPointer(start: address, count: size)
    }

    /// Takes the room on the disk: a full disk is an error then, and not a signal.
    private static func allocate(_ descriptor: Int32, _ size: Int) -> Int32 {
        #if canImport(Darwin)
        return ftruncate(descriptor, off_t(size)) == 0 ? 0 : errno
        #else
        return posix_fallocate(descriptor, 0, off_t(size))
        #endif
    }
}

extension OutputFile {
    private func open(_ place: String, _ flags: Int32, _ mode: mode_t = 0) throws(FileFailure) {
        repeat { descriptor = Foundation.open(place, flags | O_CLOEXEC, mode) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else {
            throw FileFailure(flags & O_CREAT == 0 ? .write : .create, path: path, code: errno)
        }
    }

    private func openInPlace() throws(FileFailure) {
        try open(target, O_WRONLY | O_NOFOLLOW)
        mustTruncate = true
    }

    /// Prepares the file that takes the place of one that is there.
    private func replace(_ status: stat, _ access: Access) throws(FileFailure) {
        let file: TemporaryFile
        do {
            file = try TemporaryFile(in: OutputTarget.folder(of: target), mode: 0o600, for: path)
        } catch {
            // The folder takes no new file, and the file itself may be written.
            guard [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
            return try openInPlace()
        }
        let (name, descriptor) = (file.path, file.descriptor)
        var mode = status.st_mode & 0o7777
        if access == .owner, mode & 0o007 != 0 { mode = 0o600 }
        var own = stat()
        let keepsOwner =
            fstat(descriptor, &own) == 0
            && (own.st_uid == status.st_uid && own.st_gid == status.st_gid
                || fchown(descriptor, status.st_uid, status.st_gid) == 0)
        guard keepsOwner, fchmod(descriptor, mode) == 0 else {
            close(descriptor)
            unlink(name)
            return try openInPlace()
        }
        (temporary, self.descriptor) = (name, descriptor)
    }

    private func truncate() throws(FileFailure) {
        guard mustTruncate else { return }
        guard ftruncate(descriptor, 0) == 0 else { throw FileFailure(.write, path: path, code: errno) }
        mustTruncate = false
    }

    private func publish(_ temporary: String) throws(FileFailure) {
        if isDurable, Durability.synchronize(descriptor) != 0 { throw FileFailure(.write, path: path, code: errno) }
        defer {
            unlink(temporary)
            self.temporary = nil
        }
        // A link fails where the name is taken, which a renaming does not.
        if (replaces ? rename(temporary, target) : link(temporary, target)) == 0 { return }
        // A file that is mounted on its own cannot be renamed over, nor can another's in a folder with the sticky bit.
        guard isReplacement, [EBUSY, EPERM, EACCES].contains(errno) else {
            throw FileFailure(replaces ? .rename : .create, path: path, code: errno)
        }
        let written = descriptor
        defer { close(written) }
        try openInPlace()
        try truncate()
        try copy(from: written)
    }

    private func copy(from source: Int32) throws(FileFailure) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = off_t(0)
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(source, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(.write, path: path, code: errno) }
            guard count > 0 else { return }
            guard buffer.withUnsafeBytes({ writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: descriptor) })
            else { throw FileFailure(.write, path: path, code: errno) }
            offset += off_t(count)
        }
    }
}

/// Writes all bytes to a descriptor; false with the reason in `errno` when that fails. One that does not block is waited
/// for.
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

/// Writes all bytes to a descriptor; false with the reason in `errno` when that fails.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}
