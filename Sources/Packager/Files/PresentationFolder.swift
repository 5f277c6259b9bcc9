import Foundation

/// The folder of a presentation, filled so that whoever looks at any time finds nothing half done.
///
///     DIR/.keyway-1F3A.../      what is being written; invisible to a server's listing, and not named by a playlist
///     DIR/video-1080/           moved into place whole, its Media Playlist in it
///     DIR/main.m3u8             moved into place last
///
/// A run that is killed leaves its hidden folder, which the next run removes: a lock says whether somebody still works
/// in it.
package final class PresentationFolder {
    /// The folder's path, as it was given.
    package let path: String
    private let staging: String
    private let lock: Int32
    private static let prefix = ".keyway-"

    /// Prepares a folder; makes it when it is not there.
    ///
    /// - Throws: ``FileFailure``.
    package init(path: String) throws {
        self.path = path
        try Self.makeFolder(path, withIntermediates: true)
        Self.removeLeftovers(in: path)
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        staging = path + "/" + Self.prefix + number
        try Self.makeFolder(staging)
        let lockPath = staging + "/lock"
        lock = open(lockPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw FileFailure(.create, path: lockPath, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw FileFailure(.create, path: lockPath, code: errno) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: staging)
        close(lock)
    }

    /// Where a file is written before it is published; its folder is made.
    ///
    /// - Parameter name: Relative to the presentation's folder.
    package func stagedPath(_ name: String) throws -> String {
        let path = staging + "/content/" + name
        if let slash = path.lastIndex(of: "/") { try Self.makeFolder(String(path[..<slash]), withIntermediates: true) }
        return path
    }

    /// Which of these names are taken by what was there before.
    package func existing(among names: [String]) -> [String] {
        names.filter { FileManager.default.fileExists(atPath: path + "/" + $0) }
    }

    /// Moves everything into place: folders first, files of the outermost level (the Multivariant Playlist) last. What
    /// stands in the way is replaced; a Multivariant Playlist that names it is removed before.
    ///
    /// - Throws: ``FileFailure``.
    package func publish() throws {
        let content = staging + "/content"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: content)) ?? []).sorted()
        let folders = names.filter { Self.isFolder(content + "/" + $0) }
        let files = names.filter { !folders.contains($0) }
        if !existing(among: folders).isEmpty {
            for name in files { unlink(path + "/" + name) }
        }
        for name in folders {
            let target = path + "/" + name
            if FileManager.default.fileExists(atPath: target) {
                let retired = staging + "/retired-" + name
                guard rename(target, retired) == 0 else { throw FileFailure(.rename, path: target, code: errno) }
            }
            guard rename(content + "/" + name, target) == 0 else {
                throw FileFailure(.rename, path: target, code: errno)
            }
        }
        for name in files {
            guard rename(content + "/" + name, path + "/" + name) == 0 else {
                throw FileFailure(.rename, path: path + "/" + name, code: errno)
            }
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func makeFolder(_ path: String, withIntermediates: Bool = false) throws {
        if isFolder(path) { return }
        if withIntermediates, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            let parent = String(path[..<slash])
            var status = stat()
            if stat(parent, &status) != 0 { try makeFolder(parent, withIntermediates: true) }
        }
        // A link to a folder will do as well.
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw FileFailure(.create, path: path, code: errno)
        }
    }

    /// Removes the hidden folders of runs that are over.
    private static func removeLeftovers(in path: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = path + "/" + name
            let lock = open(folder + "/lock", O_WRONLY | O_CLOEXEC)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: folder) }
        }
    }
}
