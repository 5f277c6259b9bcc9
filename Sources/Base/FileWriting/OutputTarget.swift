package import Foundation

/// What the path of an output names, symbolic links followed.
package enum OutputTarget {
    /// A descriptor of this process: `/dev/stdout`, `/dev/fd/3`. Opened by its name, a file would be written from its
    /// beginning, and a socket could not be opened at all.
    case descriptor(Int32)
    /// A device or a named pipe: it is written through, and stays.
    case special(String)
    /// A regular file.
    case regular(String, stat)
    /// Nothing yet.
    case new(String)

    /// As many links as Linux follows.
    private static let mostLinks = 40

    /// Finds out what a path names. A symbolic link that leads nowhere names the file that it leads to.
    ///
    /// - Throws: ``FileFailure`` for folders, sockets and what cannot be looked at.
    package init(_ path: String) throws(FileFailure) {
        func failure(_ code: Int32, _ reason: String? = nil) -> FileFailure {
            FileFailure(.write, path: path, code: code, reason: reason)
        }
        guard !path.isEmpty else { throw failure(ENOENT, "the path is empty") }
        var current = path
        for _ in 0...Self.mostLinks {
            if let number = Self.descriptor(current) {
                self = .descriptor(number)
                return
            }
            var status = stat()
            guard lstat(current, &status) == 0 else {
                guard errno == ENOENT else { throw failure(errno) }
                guard !current.hasSuffix("/") else { throw failure(EISDIR, "it names a folder") }
                self = .new(current)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                // A link to another process's descriptor has a text that is not a path.
                if Self.isInProcesses(current) {
                    self = .special(current)
                    return
                }
                guard let next = Self.destination(of: current) else { throw failure(errno) }
                current = next.hasPrefix("/") ? next : Self.folder(of: current) + "/" + next
            case S_IFREG:
                self = .regular(current, status)
                return
            case S_IFDIR: throw failure(EISDIR, "it is a folder")
            case S_IFSOCK:
                throw failure(ENXIO, "it is a socket, which cannot be opened as a file; name a file or a pipe")
            default:
                self = .special(current)
                return
            }
        }
        throw failure(ELOOP)
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether a path is below `/proc`, which Linux has for its processes. Apple's systems have nothing like it; there the
    /// entries of `/dev/fd` are devices.
    private static func isInProcesses(_ path: String) -> Bool {
        #if os(Linux)
        return realFolder(of: path)?.hasPrefix("/proc/") ?? false
        #else
        return false
        #endif
    }

    /// Whether a folder without links is the one of this process's descriptors.
    private static func holdsOwnDescriptors(_ folder: String) -> Bool {
        #if os(Linux)
        let own = "/proc/\(getpid())"
        if folder == own + "/fd" || folder.hasPrefix(own + "/task/") && folder.hasSuffix("/fd") { return true }
        #endif
        return folder == "/dev/fd"
    }

    private static func realFolder(of path: String) -> String? {
        guard let real = realpath(folder(of: path), nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The number of this process's descriptor that a path names.
    private static func descriptor(_ path: String) -> Int32? {
        let name = path.split(separator: "/").last ?? ""
        guard !path.hasSuffix("/"), !name.isEmpty, name.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int32(name), let folder = realFolder(of: path)
        else { return nil }
        return holdsOwnDescriptors(folder) ? number : nil
    }

    private static func destination(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                bytes.baseAddress.map { readlink(link, $0, bytes.count) } ?? -1
            }
        }
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
