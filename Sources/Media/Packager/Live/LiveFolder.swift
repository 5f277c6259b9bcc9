import DASHManifest
import FileWriting
import Foundation
import HLSPlaylist

/// The output folder of a live presentation. Segments are written in place, because no playlist references them yet;
/// playlists are replaced atomically, so that clients never read an incomplete one.
///
///     DIR/.keyway-live        locked while a run writes to the folder; contains the state for the next run
///     DIR/main.m3u8, DIR/main.mpd
///     DIR/video-1080/         playlists, init segments, segments
final class LiveFolder: PresentationFiles {
    /// The path of the folder, as given.
    let path: String
    /// Called after each change.
    var onChange: ((LiveFileChange) throws -> Void)?
    private let lock: Int32
    private static let journal = ".keyway-live"

    /// Prepares a folder; creates it if it does not exist.
    ///
    /// - Throws: ``FileError``; ``JobFailure`` if another run writes to the folder.
    init(path: String) throws {
        self.path = path
        try Self.makeFolder(path)
        let name = path + "/" + Self.journal
        lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw FileError(.create, path: name, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw JobFailure("out", "another run is writing to \(path): stop it, or choose another folder")
        }
    }

    deinit { close(lock) }

    /// Creates the folder of a rendition.
    func makeFolder(_ name: String) throws { try Self.makeFolder(path + "/" + name) }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw FileError(.create, path: path, code: errno == 0 ? EIO : errno)
        }
    }

    /// Creates a file that no playlist references. Removes a file with this name that a killed run has left.
    func create(_ name: String) throws -> FileOutput {
        unlink(path + "/" + name)
        let file = try FileOutput(path: path + "/" + name)
        if let onChange {
            file.onWritten = { range, isComplete in
                try onChange(LiveFileChange(path: name, kind: .written(range, isComplete: isComplete)))
            }
        }
        return file
    }

    /// Cuts a file to a size in bytes. Returns false if it is missing or shorter.
    ///
    /// - Throws: ``FileError``.
    func truncate(_ name: String, to size: Int) throws -> Bool {
        let path = path + "/" + name
        var status = stat()
        guard stat(path, &status) == 0, status.st_size >= size else { return false }
        guard Foundation.truncate(path, off_t(size)) == 0 else { throw FileError(.write, path: path, code: errno) }
        return true
    }

    /// Replaces a file atomically.
    func replace(_ name: String, _ bytes: [UInt8]) throws {
        let file = try OutputFile(path + "/" + name, isDurable: false)
        try file.write(bytes)
        try file.finish()
        try onChange?(LiveFileChange(path: name, kind: .replaced(bytes)))
    }

    /// Performs an action of a presentation's state machine.
    func perform(_ action: LiveAction, _ names: PackagingJob.FileNames) throws {
        switch action {
        case .replace(let name, let playlist): try replace(name, try playlist.write())
        case .replaceMain(let playlist): try replace(names.multivariant, try playlist.write())
        case .replaceManifest(let manifest): try replace(names.dash, manifest.bytes)
        // A file that is already missing is not an error.
        case .delete(let name):
            unlink(path + "/" + name)
            try onChange?(LiveFileChange(path: name, kind: .deleted))
        }
    }

    /// Returns the content of a file; nil if it does not exist.
    func read(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path + "/" + name).map(Array.init) }

    /// Returns the names of the files in a rendition's folder.
    func files(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
    }

    /// Returns whether a file exists.
    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// Removes a file, or a folder and its contents.
    func remove(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: path + "/" + name) else { return }
        do {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        } catch {
            throw FileError(.write, path: path + "/" + name, code: EIO)
        }
    }
}

extension LiveFolder {
    /// The number of the first unused key period. Earlier periods may have been used, and must not be used again.
    ///
    ///     journal = "next-period=" number LF
    var nextPeriod: Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return 0 }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.split(separator: "\n").first.flatMap { $0.split(separator: "=").last }.flatMap { Int($0) }
            .map { max(0, $0) } ?? 0
    }

    /// Records that a period's keys are used. Must be called before their first use.
    func markUsed(period: Int) throws {
        let text = Array("next-period=\(period + 1)\n".utf8)
        let name = path + "/" + Self.journal
        // Numbers only increase, so that no digit of an old number remains after the new one.
        guard pwrite(lock, text, text.count, 0) == text.count else {
            throw FileError(.write, path: name, code: errno)
        }
    }
}
