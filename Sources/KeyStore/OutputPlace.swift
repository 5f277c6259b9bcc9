import Glibc

/// The place where a file is to be written, and what is there already.
///
/// A symbolic link is followed, also one that leads to nothing yet, so that what is written arrives where it leads to and the
/// link stays.
package struct OutputPlace: Sendable, Equatable {
    /// What is there.
    package enum Kind: Sendable, Equatable {
        /// Nothing.
        case missing
        /// A regular file.
        case file
        /// A pipe or a character device: what is written to it is gone, and no file comes of it.
        case stream
        /// A folder, a disk or a socket, in words.
        case unusable(String)
    }

    /// The path, with the link at its end followed.
    package let path: String
    /// What is there.
    package let kind: Kind

    /// Looks at a place.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable`` when it cannot be looked at, or its links lead nowhere.
    package init(_ path: String) throws(KeyStoreError) {
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: kind = .file
            case S_IFIFO, S_IFCHR: kind = .stream
            case S_IFDIR: kind = .unusable("a folder")
            case S_IFBLK: kind = .unusable("a disk")
            default: kind = .unusable("a socket")
            }
            // A stream's own name may be one that nothing can be opened by, such as that of /dev/stdout.
            self.path = kind == .file ? try Self.followed(path) : path
        } else {
            guard errno == ENOENT else { throw .system("look at", path) }
            kind = .missing
            self.path = try Self.followed(path)
        }
    }

    /// The path that the links at its end lead to.
    private static func followed(_ path: String) throws(KeyStoreError) -> String {
        var path = path
        for _ in 0..<40 {
            guard let target = linkTarget(path) else { return path }
            if target.hasPrefix("/") {
                path = target
            } else if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                path = String(path[...slash]) + target
            } else {
                path = target
            }
        }
        throw KeyStoreError(.unavailable, place: path, reason: "it has too many symbolic links")
    }

    private static func linkTarget(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
