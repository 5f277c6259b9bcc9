import Glibc

/// An error of reading a folder.
package struct FolderError: Error, Hashable, CustomStringConvertible {
    /// The action that failed, such as `open`.
    let action: String
    /// The path in the folder.
    let path: String
    /// The system's error number.
    package let code: Int32

    package init(_ action: String, _ path: String, _ code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// The action, the path and the reason.
    package var description: String {
        "cannot \(action) \(path.isEmpty ? "." : path): \(String(cString: strerror(code)))"
    }
}

/// An open file of a folder, which is closed with the object.
package final class FolderFile: Sendable {
    let descriptor: Int32
    /// The path in the folder.
    package let path: String
    /// The size in bytes when the file was opened.
    package let size: Int
    /// The entity tag, with its quotation marks: the file's number, its size, and the time of its last change.
    package let entityTag: String
    /// A value that changes whenever the file is replaced or written.
    package let identity: FileIdentity

    fileprivate init(_ descriptor: Int32, _ path: String, _ status: FileStatus) {
        self.descriptor = descriptor
        self.path = path
        identity = status.identity
        size = status.size
        entityTag = "\"\(identity.text)\""
    }

    deinit { Glibc.close(descriptor) }

    /// Reads bytes at a position into a buffer.
    ///
    /// - Returns: The number of bytes; fewer than the buffer has only at the end of the file.
    /// - Throws: ``FolderError``.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FolderError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(position + done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FolderError("read", path) }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// Access to the files of a folder. No symbolic link in it is followed, so that a path cannot leave the folder.
package struct FolderAccess: Sendable {
    /// The path of the folder.
    package let root: String

    /// Creates access to a folder, which may be a symbolic link itself.
    package init(root: String) { self.root = root }

    /// Whether the folder exists.
    package var exists: Bool {
        guard let descriptor = try? openAt("", O_RDONLY | O_DIRECTORY) else { return false }
        Glibc.close(descriptor)
        return true
    }

    /// Opens a regular file for reading.
    ///
    /// - Returns: The file; nil if it does not exist, or is not a regular file.
    /// - Throws: ``FolderError``.
    package func open(_ path: String) throws(FolderError) -> FolderFile? {
        guard let descriptor = try openAt(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else { return nil }
        guard let status = FileStatus(descriptor: descriptor) else {
            let code = errno
            Glibc.close(descriptor)
            throw FolderError("open", path, code)
        }
        guard status.kind == .regular else {
            Glibc.close(descriptor)
            return nil
        }
        return FolderFile(descriptor, path, status)
    }

    /// Returns the version of a regular file; nil if it does not exist.
    package func identity(_ path: String) -> FileIdentity? { (try? open(path))?.identity }

    /// The kinds of entries of a folder.
    package struct Entries: Sendable {
        /// The names of regular files, sorted.
        package var files: [String] = []
        /// The names of folders, sorted.
        package var folders: [String] = []
    }

    /// Returns the entries of a folder whose names do not begin with a dot; nil if it does not exist.
    ///
    /// - Parameter limit: The maximum number of entries that are read.
    package func entries(_ path: String, limit: Int) throws(FolderError) -> Entries? {
        guard let descriptor = try openAt(path, O_RDONLY | O_DIRECTORY) else { return nil }
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            Glibc.close(descriptor)
            throw FolderError("list", path, code)
        }
        defer { closedir(stream) }
        var entries = Entries()
        var count = 0
        while count < limit, let entry = readdir(stream) {
            count += 1
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            switch FileStatus(folder: descriptor, name: name)?.kind {
            case .regular: entries.files.append(name)
            case .folder: entries.folders.append(name)
            case .other, nil: break
            }
        }
        entries.files.sort()
        entries.folders.sort()
        return entries
    }

    /// Opens a path component by component; nil if a component does not exist or is a symbolic link.
    func openAt(_ path: String, _ flags: Int32) throws(FolderError) -> Int32? {
        var folder = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            if errno == ENOENT { return nil }
            throw FolderError("open", "")
        }
        guard !path.isEmpty else { return folder }
        let components = path.split(separator: "/").map(String.init)
        for (index, name) in components.enumerated() {
            let isLast = index == components.count - 1
            let next = openat(folder, name, (isLast ? flags : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            Glibc.close(folder)
            guard next >= 0 else {
                // ELOOP: a symbolic link; ENXIO: a socket.
                if [ENOENT, ENOTDIR, ELOOP, ENXIO, ENAMETOOLONG].contains(code) { return nil }
                throw FolderError("open", path, code)
            }
            folder = next
        }
        return folder
    }
}
