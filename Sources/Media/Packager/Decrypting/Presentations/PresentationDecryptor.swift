import FileWriting
import Foundation
import HLSPlaylist
package import MediaDecryption
import MediaFormats
import SampleEncryption

/// Decrypts a whole presentation on disk: a Multivariant or Media Playlist and all files that it references. The output
/// has the same files under the same names, and its playlists have no keys.
///
/// A file appears under its name only when it is complete, and playlists are written last: a process that is killed
/// leaves no playlist that references a missing or encrypted file.
package struct PresentationDecryptor {
    /// A summary of a decrypted presentation.
    package struct Report: Sendable {
        /// The tracks of each Media Playlist.
        package var playlists: [(name: String, tracks: [DecryptedTrack])] = []
        /// The number of files written, including playlists.
        package var files = 0
        /// The number of bytes of media written.
        package var bytes = 0
    }

    /// A callback before each media file is decrypted, with its name, its number from 1, and the number of files.
    package typealias Progress = (_ name: String, _ number: Int, _ count: Int) -> Void

    private let keys: DecryptionKeys

    /// Creates a decryptor with keys.
    package init(keys: DecryptionKeys) { self.keys = keys }

    /// Decrypts a presentation.
    ///
    /// - Parameters:
    ///   - playlist: The path of a playlist.
    ///   - folder: The folder of the decrypted presentation; created if it does not exist. It must not be the
    ///     playlist's folder.
    ///   - progress: Called before each file.
    /// - Throws: ``DecryptionError``, `ParseError`, ``FileError``.
    package func decrypt(
        _ playlist: String,
        to folder: String,
        progress: Progress = { _, _, _ in }
    ) throws -> Report {
        let paths = try PresentationPaths(playlist: playlist)
        let plan = try PresentationPlan((playlist as NSString).lastPathComponent, paths: paths)
        try Self.makeFolder(folder)
        guard PresentationPaths.realPath(folder) != paths.root else {
            throw DecryptionError(
                .refused,
                folder,
                "the output folder contains the playlist, which would be overwritten: choose another folder"
            )
        }
        var report = Report()
        var ranges = ClearRanges()
        var session = PresentationSession(keys: keys, paths: paths)
        for (index, file) in plan.files.enumerated() {
            progress(file.name, index + 1, plan.files.count)
            let output = try Self.prepare(file.name, in: folder)
            let result = try session.decrypt(file, to: output, &ranges)
            report.bytes += result.bytes
            report.files += 1
            Self.add(result.tracks, of: file.playlist, to: &report)
        }
        for name in plan.others {
            let bytes = try MappedFile(path: paths.path(name)).withBytes { $0.withUnsafeBytes { [UInt8]($0) } }
            try ClearFile.write(bytes, to: Self.prepare(name, in: folder))
            report.files += 1
        }
        for file in plan.playlists {
            var clear = ClearPlaylist(ranges: ranges, paths: paths, name: file.name)
            try ClearFile.write(try clear.write(file.playlist), to: Self.prepare(file.name, in: folder))
            report.files += 1
        }
        return report
    }

    /// Returns the distinct URIs of the FairPlay keys that a presentation requires, in order of appearance, each with
    /// the protocol versions that its first tag declares.
    ///
    /// - Parameter playlist: The path of a playlist.
    /// - Throws: ``DecryptionError``, ``FileError``.
    package static func fairPlayKeys(_ playlist: String) throws -> [(uri: String, versions: [UInt32])] {
        let paths = try PresentationPaths(playlist: playlist)
        let plan = try PresentationPlan((playlist as NSString).lastPathComponent, paths: paths)
        var keys: [(uri: String, versions: [UInt32])] = []
        var known: Set<String> = []
        for key in plan.files.flatMap({ $0.references.flatMap(\.keys.keys) }) where key.keyFormat == .fairPlay {
            if let uri = key.uri, known.insert(uri).inserted { keys.append((uri, key.protocolVersions)) }
        }
        return keys
    }

    private static func add(_ tracks: [DecryptedTrack], of playlist: String, to report: inout Report) {
        if report.playlists.last?.name != playlist, !report.playlists.contains(where: { $0.name == playlist }) {
            report.playlists.append((playlist, []))
        }
        guard let index = report.playlists.firstIndex(where: { $0.name == playlist }) else { return }
        for track in tracks {
            if let known = report.playlists[index].tracks.firstIndex(where: { $0.name == track.name }) {
                report.playlists[index].tracks[known].add(track)
            } else {
                report.playlists[index].tracks.append(track)
            }
        }
    }

    private static func prepare(_ name: String, in folder: String) throws -> String {
        let path = folder + "/" + name
        try makeFolder((path as NSString).deletingLastPathComponent)
        return path
    }

    private static func makeFolder(_ path: String) throws {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw FileError(.create, path: path, code: errno == 0 ? ENOTDIR : errno)
        }
    }
}
