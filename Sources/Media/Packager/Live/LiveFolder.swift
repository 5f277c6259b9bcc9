import DASHManifest
import FileWriting
import Foundation
import HLSPlaylist

/// The folder of a presentation without an end. Segments are written where they will be read, since no playlist names them
/// yet; playlists are replaced whole, so that nobody reads half of one.
///
///     DIR/.keyway-live        locked as long as a run writes here; what the next run has to know is in it
///     DIR/main.m3u8, DIR/main.mpd
///     DIR/video-1080/         playlists, init segments, segments
final class LiveFolder {
    /// The folder's path, as it was given.
    let path: String
    private let lock: Int32
    private static let journal = ".keyway-live"

    /// Prepares a folder; makes it when it is not there.
    ///
    /// - Throws: ``FileFailure``; ``JobFailure`` when another run writes there.
    init(path: String) throws {
        self.path = path
        try Self.makeFolder(path)
        let name = path + "/" + Self.journal
        lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { throw FileFailure(.create, path: name, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw JobFailure("out", "another run writes to \(path): end it, or name another folder")
        }
    }

    deinit { close(lock) }

    /// Makes the folder of a rendition.
    func makeFolder(_ name: String) throws { try Self.makeFolder(path + "/" + name) }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw FileFailure(.create, path: path, code: errno == 0 ? EIO : errno)
        }
    }

    /// Begins a file that no playlist names. What a killed run has left under its name goes.
    func create(_ name: String) throws -> FileOutput {
        unlink(path + "/" + name)
        return try FileOutput(path: path + "/" + name)
    }

    /// Replaces a file, so that others see the old one or the new one.
    func replace(_ name: String, _ bytes: [UInt8]) throws {
        let file = try OutputFile(path + "/" + name, isDurable: false)
        try file.write(bytes)
        try file.finish()
    }

    /// Does what a presentation's state machine wants done.
    func carryOut(_ action: LiveAction, _ names: PackagingJob.FileNames) throws {
        switch action {
        case .replace(let name, let playlist): try replace(name, try playlist.write())
        case .replaceMain(let playlist): try replace(names.multivariant, try playlist.write())
        case .replaceManifest(let manifest): try replace(names.dash, manifest.bytes)
        // A file that is gone already is as good as deleted.
        case .delete(let name): unlink(path + "/" + name)
        }
    }

    /// The content of a file; nil when it is not there.
    func read(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path + "/" + name).map(Array.init) }

    /// What lies in a rendition's folder.
    func files(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
    }

    /// Removes a file, or a folder with all that is in it.
    func remove(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: path + "/" + name) else { return }
        do {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        } catch {
            throw FileFailure(.write, path: path + "/" + name, code: EIO)
        }
    }
}

extension LiveFolder {
    /// The number of the key period that a run may use next: no earlier one, since its keys may have served.
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

    /// Takes note, before a period's keys are used, that they will have been.
    func useUp(period: Int) throws {
        let text = Array("next-period=\(period + 1)\n".utf8)
        let name = path + "/" + Self.journal
        // Numbers only grow, so that no old digit is left behind the new ones.
        guard pwrite(lock, text, text.count, 0) == text.count else {
            throw FileFailure(.write, path: name, code: errno)
        }
    }
}
