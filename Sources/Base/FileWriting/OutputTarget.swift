package import Foundation

/// The type of file at the path of an output, after resolving symbolic links.
package enum OutputTarget {
    /// A descriptor of this process, for example `/dev/stdout` or `/dev/fd/3`. The descriptor itself is used, because
    /// opening the path would write a file from its beginning and fail for a socket.
    case descriptor(Int32)
    /// A device or a named pipe, which is written directly and never replaced.
    case special(String)
    /// An existing regular file.
    case regular(String, stat)
    /// A path where no file exists.
    case new(String)

    /// The maximum number of symbolic links, as in Linux.
    private static let maximumLinkCount = 40

    /// Determines the type of file at a path. A symbolic link to a missing file counts as the path of that file.
    ///
    /// - Throws: ``FileError`` for folders, for sockets, and if the path cannot be inspected.
    package init(_ path: String) throws(FileError) {
        func failure(_ code: Int32, _ reason: String? = nil) -> FileError {
            FileError(.write, path: path, code: code, reason: reason)
        }
        guard !path.isEmpty else { throw failure(ENOENT, "the path is empty") }
        var current = path
        for _ in 0...Self.maximumLinkCount {
            if let number = Self.descriptor(current) {
                self = .descriptor(number)
                return
            }
            var status = stat()
            guard lstat(current, &status) == 0 else {
                guard errno == ENOENT else { throw failure(errno) }
                guard !current.hasSuffix("/") else { throw failure(EISDIR, "the path is a folder") }
                self = .new(current)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                // The text of a link to a descriptor of another process is not a path.
                if Self.isInProc(current) {
                    self = .special(current)
                    return
                }
                guard let next = Self.destination(of: current) else { throw failure(errno) }
                current = next.hasPrefix("/") ? next : Self.folder(of: current) + "/" + next
            case S_IFREG:
                self = .regular(current, status)
                return
            case S_IFDIR: throw failure(EISDIR, "the path is a folder")
            case S_IFSOCK:
                throw failure(ENXIO, "the path is a socket; specify a file or a pipe")
            default:
                self = .special(current)
                return
            }
        }
        throw failure(ELOOP)
    }

    /// Returns the folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns whether a path is in `/proc`, where Linux lists its processes. Apple platforms have no such folder; the
    /// entries of `/dev/fd` are devices there.
    private static func isInProc(_ path: String) -> Bool {
        #if os(Linux)
        return realFolder(of: path)?.hasPrefix("/proc/") ?? false
        #else
        return false
        #endif
    }

    /// Returns whether a folder, with its symbolic links resolved, contains the descriptors of this process.
    private static func containsOwnDescriptors(_ folder: String) -> Bool {
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

    /// Returns the descriptor of this process that a path refers to, if any.
    private static func descriptor(_ path: String) -> Int32? {
        let name = path.split(separator: "/").last ?? ""
        guard !path.hasSuffix("/"), !name.isEmpty, name.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int32(name), let folder = realFolder(of: path)
        else { return nil }
        return containsOwnDescriptors(folder) ? number : nil
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
