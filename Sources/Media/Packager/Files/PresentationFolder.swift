import FileWriting
import Foundation

/// The output folder of a presentation, written so that readers never see incomplete files.
///
///     DIR/.keyway-1F3A.../      files being written; hidden from server listings, and not referenced by a playlist
///     DIR/video-1080/           renamed into place as a whole, including its Media Playlist
///     DIR/main.m3u8             renamed into place last
///
/// A process that is killed leaves its hidden folder, which the next run removes; a lock file indicates whether a
/// process is still using it. A process that is killed while publishing also leaves a list of the names it moves, so
/// that the next run can undo the moves and restore what was replaced.
package final class PresentationFolder: PresentationFiles {
    /// The path of the folder, as given.
    package let path: String
    private let staging: String
    private let lock: Int32
    private static let prefix = ".keyway-"
    private static let unlockedPrefix = ".keyway~"

    /// Prepares a folder; creates it if it does not exist.
    ///
    /// - Throws: ``FileError``.
    package init(path: String) throws {
        self.path = path
        try Self.makeFolder(path, withIntermediates: true)
        Self.removeLeftovers(in: path)
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        staging = path + "/" + Self.prefix + number
        // The folder gets its final name only after its lock exists: a folder without a lock is a partly removed
        // leftover.
        let unlocked = path + "/" + Self.unlockedPrefix + number
        try Self.makeFolder(unlocked)
        let lockPath = unlocked + "/lock"
        lock = open(lockPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw FileError(.create, path: lockPath, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw FileError(.create, path: lockPath, code: errno) }
        try Self.move(unlocked, to: staging)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: staging)
        close(lock)
    }

    /// Returns the path at which a file is written before it is published, and creates its folder.
    ///
    /// - Parameter name: The name, relative to the presentation's folder.
    private func stagedPath(_ name: String) throws -> String {
        let path = staging + "/content/" + name
        if let slash = path.lastIndex(of: "/") { try Self.makeFolder(String(path[..<slash]), withIntermediates: true) }
        return path
    }

    /// Creates a file, to be published later.
    ///
    /// - Parameter name: The name, relative to the presentation's folder.
    func create(_ name: String) throws -> FileOutput { try FileOutput(path: stagedPath(name)) }

    /// Removes a file or folder that has not been published.
    func discard(_ name: String) { try? FileManager.default.removeItem(atPath: staging + "/content/" + name) }

    /// Renames everything into place: folders first, then the top-level files (the Multivariant Playlist). Existing
    /// entries are replaced, and an existing Multivariant Playlist is removed before the folders that it references. In
    /// a replaced folder, files that are not the packager's are kept.
    ///
    /// - Parameter isPackaged: Returns whether a file in a folder has a name that the packager uses.
    /// - Throws: ``FileError``.
    package func publish(isPackaged: (String) -> Bool) throws {
        let content = staging + "/content"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: content)) ?? []).sorted()
        let files = names.filter { !Self.isFolder(content + "/" + $0) }
        let folders = names.filter(Set(names).subtracting(files).contains)
        for name in folders where Self.isFolder(path + "/" + name) {
            try Self.linkForeignFiles(path + "/" + name, to: content + "/" + name, isPackaged)
        }
        let list = staging + "/" + Self.listName
        let moved = Data((folders + files).joined(separator: "\n").utf8)
        guard FileManager.default.createFile(atPath: list, contents: moved) else {
            throw FileError(.create, path: list, code: errno)
        }
        do {
            for name in files + folders where Self.exists(path + "/" + name) {
                try Self.move(path + "/" + name, to: staging + "/" + Self.retired + name)
            }
            for name in folders + files { try Self.move(content + "/" + name, to: path + "/" + name) }
        } catch {
            Self.undoMoves(staging, in: path)
            throw error
        }
        // From here on, the moves are not undone.
        unlink(list)
    }

    /// Hard-links files that are not the packager's from the old folder into its replacement. They keep a name at all
    /// times: if the process is killed, the old folder is restored unchanged.
    private static func linkForeignFiles(_ old: String, to new: String, _ isPackaged: (String) -> Bool) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: old)
        } catch {
            throw FileError(.read, path: old, code: errno == 0 ? EIO : errno)
        }
        for name in names where !isPackaged(name) {
            let (source, target) = (old + "/" + name, new + "/" + name)
            var status = stat()
            guard lstat(source, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                guard mkdir(target, status.st_mode & 0o7777) == 0 || errno == EEXIST else {
                    throw FileError(.create, path: target, code: errno)
                }
                _ = chown(target, status.st_uid, status.st_gid)
                try linkForeignFiles(source, to: target) { _ in false }
            } else {
                guard linkat(AT_FDCWD, source, AT_FDCWD, target, 0) == 0 || errno == EEXIST else {
                    let reason =
                        "this file was not written by the packager, and cannot be moved to the new folder: move it "
                        + "elsewhere"
                    throw FileError(.write, path: source, code: errno, reason: reason)
                }
            }
        }
    }

    /// Returns the names in a folder that a killed process had moved there without finishing; the next run undoes these
    /// moves.
    package static func unfinished(in path: String) -> Set<String> {
        var names: Set<String> = []
        forEachStoppedRun(in: path) { staging in
            names.formUnion(moves(of: staging).filter { !exists(staging + "/content/" + $0) })
        }
        return names
    }

    /// Returns the names that a run is moving or has moved while publishing; empty before and after.
    private static func moves(of staging: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: staging + "/" + listName) else { return [] }
        // Only names directly in this folder: the list could be modified, but must not give access to other folders.
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.contains("/") && $0 != ".." && $0 != "." }
    }

    private static let listName = "publishing"
    private static let retired = "retired-"

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func move(_ source: String, to target: String) throws {
        guard rename(source, target) == 0 else { throw FileError(.rename, path: target, code: errno) }
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
        // A symbolic link to a folder is also accepted.
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw FileError(.create, path: path, code: errno)
        }
    }

    /// Undoes incomplete moves of finished runs, and removes their hidden folders.
    private static func removeLeftovers(in path: String) {
        forEachStoppedRun(in: path) { staging in
            undoMoves(staging, in: path)
            try? FileManager.default.removeItem(atPath: staging)
        }
    }

    /// Undoes the moves of a run, and restores the entries that it replaced.
    private static func undoMoves(_ staging: String, in path: String) {
        for name in moves(of: staging) {
            let target = path + "/" + name
            if !exists(staging + "/content/" + name) { try? FileManager.default.removeItem(atPath: target) }
            let old = staging + "/" + retired + name
            if exists(old), !exists(target) { rename(old, target) }
        }
        // Undo only once, even if this process is killed while removing the rest.
        unlink(staging + "/" + listName)
    }

    /// Calls `body` with the hidden folder of each run that has stopped without removing it.
    private static func forEachStoppedRun(in path: String, _ body: (String) -> Void) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(prefix) || name.hasPrefix(unlockedPrefix) {
            let folder = path + "/" + name
            let lock = open(folder + "/lock", O_WRONLY | O_CLOEXEC)
            guard lock >= 0 else {
                if name.hasPrefix(prefix), errno == ENOENT { body(folder) }
                continue
            }
            defer { close(lock) }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { body(folder) }
        }
    }
}
