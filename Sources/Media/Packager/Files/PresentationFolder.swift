import FileWriting
import Foundation

/// The folder of a presentation, filled so that whoever looks at any time finds nothing half done.
///
///     DIR/.keyway-1F3A.../      what is being written; invisible to a server's listing, and not named by a playlist
///     DIR/video-1080/           moved into place whole, its Media Playlist in it
///     DIR/main.m3u8             moved into place last
///
/// A run that is killed leaves its hidden folder, which the next run removes: a lock says whether somebody still works
/// in it. One that is killed while it moves things has left a list of what it moves there, so that the next run can take
/// back what was moved, and put back what stood in its place.
package final class PresentationFolder {
    /// The folder's path, as it was given.
    package let path: String
    private let staging: String
    private let lock: Int32
    private static let prefix = ".keyway-"
    private static let unbornPrefix = ".keyway~"

    /// Prepares a folder; makes it when it is not there.
    ///
    /// - Throws: ``FileFailure``.
    package init(path: String) throws {
        self.path = path
        try Self.makeFolder(path, withIntermediates: true)
        Self.removeLeftovers(in: path)
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        staging = path + "/" + Self.prefix + number
        // It has its name only when it has its lock: without one it is half removed, and nobody's.
        let unborn = path + "/" + Self.unbornPrefix + number
        try Self.makeFolder(unborn)
        let lockPath = unborn + "/lock"
        lock = open(lockPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw FileFailure(.create, path: lockPath, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw FileFailure(.create, path: lockPath, code: errno) }
        try Self.move(unborn, to: staging)
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

    /// Moves everything into place: folders first, files of the outermost level (the Multivariant Playlist) last. What
    /// stands in the way is replaced; a Multivariant Playlist that names it is taken away before. Files of others in a folder
    /// that is replaced stay where they are.
    ///
    /// - Parameter isPackaged: Whether a file in a folder has a name that the packager gives.
    /// - Throws: ``FileFailure``.
    package func publish(isPackaged: (String) -> Bool) throws {
        let content = staging + "/content"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: content)) ?? []).sorted()
        let files = names.filter { !Self.isFolder(content + "/" + $0) }
        let folders = names.filter(Set(names).subtracting(files).contains)
        for name in folders where Self.isFolder(path + "/" + name) {
            try Self.carryOver(path + "/" + name, to: content + "/" + name, isPackaged)
        }
        let list = staging + "/" + Self.listName
        let moved = Data((folders + files).joined(separator: "\n").utf8)
        guard FileManager.default.createFile(atPath: list, contents: moved) else {
            throw FileFailure(.create, path: list, code: errno)
        }
        do {
            for name in files + folders where Self.exists(path + "/" + name) {
                try Self.move(path + "/" + name, to: staging + "/" + Self.retired + name)
            }
            for name in folders + files { try Self.move(content + "/" + name, to: path + "/" + name) }
        } catch {
            Self.takeBack(staging, in: path)
            throw error
        }
        // From here on nothing is taken back.
        unlink(list)
    }

    /// Gives what others have put into a folder a second name in the one that replaces it. They are never without a name:
    /// if the run is killed, the old folder comes back as it was.
    private static func carryOver(_ old: String, to new: String, _ isPackaged: (String) -> Bool) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: old)
        } catch {
            throw FileFailure(.read, path: old, code: errno == 0 ? EIO : errno)
        }
        for name in names where !isPackaged(name) {
            let (source, target) = (old + "/" + name, new + "/" + name)
            var status = stat()
            guard lstat(source, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                guard mkdir(target, status.st_mode & 0o7777) == 0 || errno == EEXIST else {
                    throw FileFailure(.create, path: target, code: errno)
                }
                _ = chown(target, status.st_uid, status.st_gid)
                try carryOver(source, to: target) { _ in false }
            } else {
                guard linkat(AT_FDCWD, source, AT_FDCWD, target, 0) == 0 || errno == EEXIST else {
                    let reason = "it is not a file of the packager, and cannot be kept here: move it elsewhere"
                    throw FileFailure(.write, path: source, code: errno, reason: reason)
                }
            }
        }
    }

    /// Which names in a folder belong to a run that was killed while it moved them there: the next run takes them back.
    package static func unfinished(in path: String) -> Set<String> {
        var names: Set<String> = []
        forEachDeadRun(in: path) { staging in
            names.formUnion(moves(of: staging).filter { !exists(staging + "/content/" + $0) })
        }
        return names
    }

    /// What a run moves, or has moved, while it publishes; nothing before and after that.
    private static func moves(of staging: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: staging + "/" + listName) else { return [] }
        // A name of its own folder alone: who could write the list could do no more with it.
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
        guard rename(source, target) == 0 else { throw FileFailure(.rename, path: target, code: errno) }
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

    /// Takes back what runs that are over have left half done, and removes their hidden folders.
    private static func removeLeftovers(in path: String) {
        forEachDeadRun(in: path) { staging in
            takeBack(staging, in: path)
            try? FileManager.default.removeItem(atPath: staging)
        }
    }

    /// Undoes what a run has moved, and puts back what it has put away.
    private static func takeBack(_ staging: String, in path: String) {
        for name in moves(of: staging) {
            let target = path + "/" + name
            if !exists(staging + "/content/" + name) { try? FileManager.default.removeItem(atPath: target) }
            let old = staging + "/" + retired + name
            if exists(old), !exists(target) { rename(old, target) }
        }
        // It is done once, also where somebody is killed while he clears away the rest.
        unlink(staging + "/" + listName)
    }

    /// Calls `body` with the hidden folder of each run that has ended without removing it.
    private static func forEachDeadRun(in path: String, _ body: (String) -> Void) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(prefix) || name.hasPrefix(unbornPrefix) {
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
