package import FileWriting
public import Foundation
import Locking
import MediaDecryption

/// Writes decrypted media to a file or a pipe, with all tracks in one stream: fragmented MP4 or a transport stream.
///
/// Separate MP4 tracks are combined. Separate transport stream and packed audio tracks are not supported: write them to
/// a folder. Packed audio is written without the ID3 tags of its segments.
public final class StreamOutput: MediaOutput {
    private struct State: ~Copyable {
        let sink: Sink
        var combiner: FragmentCombiner?
        /// Segments that arrived before all init segments.
        var waiting: [(stream: Int, bytes: [UInt8])] = []
        var hasBegun = false
        var isMP4: Bool?
    }

    /// The destination of the bytes.
    private enum Sink {
        case handle(FileHandle)
        case file(OutputFile)

        func write(_ bytes: [UInt8]) throws {
            switch self {
            case .handle(let handle): try handle.write(contentsOf: Data(bytes))
            case .file(let file): try file.write(bytes)
            }
        }

        func finish() throws {
            switch self {
            case .handle(let handle): try handle.close()
            case .file(let file): try file.finish()
            }
        }
    }

    private let state: Lock<State>

    /// False: most players that read from a pipe support only one init segment.
    public let supportsInitializationChanges = false

    /// Creates an output to an open file.
    public init(_ file: FileHandle) { state = Lock(State(sink: .handle(file))) }

    /// Creates an output to the file of an output option.
    package init(_ file: sending OutputFile) { state = Lock(State(sink: .file(file))) }

    /// Writes a piece; blocks while a pipe is full.
    ///
    /// - Throws: ``PlayerError`` `output` if the tracks cannot be combined into one stream, or the file cannot be
    ///   written.
    public func write(_ piece: DecryptedPiece) async throws {
        try state.withLock { state in
            do {
                for bytes in try Self.bytes(of: piece, &state) where !bytes.isEmpty {
                    try state.sink.write(bytes)
                }
            } catch let failure as FragmentCombiner.Failure {
                throw PlayerError(.output(failure.reason), piece.track.rawValue)
            } catch let error as PlayerError {
                throw error
            } catch {
                throw PlayerError(output: error, "output")
            }
        }
    }

    /// Closes the file.
    public func finish() async throws { try state.withLock { try $0.sink.finish() } }

    private static func bytes(of piece: DecryptedPiece, _ state: inout State) throws -> [[UInt8]] {
        guard piece.tracks.count > 1 else { return [PackedAudio(piece.bytes)?.frames ?? piece.bytes] }
        guard let stream = piece.tracks.firstIndex(of: piece.track) else { return [] }
        if state.combiner == nil {
            guard piece.isInitialization else {
                let reason =
                    "separate tracks that are not MP4 cannot be combined into one stream; use a folder as output"
                throw PlayerError(.output(reason), piece.track.rawValue)
            }
            state.combiner = FragmentCombiner(streams: piece.tracks.count)
        }
        if piece.isInitialization {
            guard let initialization = try state.combiner?.initialize(stream, piece.bytes) else { return [] }
            state.hasBegun = true
            let waiting = state.waiting
            state.waiting = []
            return try [initialization] + waiting.map { try state.combiner?.fragment($0.stream, $0.bytes) ?? [] }
        }
        guard state.hasBegun else {
            state.waiting.append((stream, piece.bytes))
            return []
        }
        return [try state.combiner?.fragment(stream, piece.bytes) ?? []]
    }
}

/// Writes decrypted media to a folder, with a file for each track: `main.mp4`, `audio.mp4`, `main.ts`, `audio.aac`,
/// `subtitles.vtt`. A new init segment starts another file: `main-2.mp4`. Packed audio is written without the ID3 tags of
/// its segments.
public final class FolderOutput: MediaOutput {
    private struct Track {
        var file: OutputFile?
        var number = 0
        var name: String
    }

    private let folder: String
    private let tracks = Lock<[DecryptedPiece.TrackKind: Track]>([:])

    /// True.
    public let supportsInitializationChanges = true

    /// Creates an output to a folder, which is created if it does not exist.
    public init(_ folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// The paths of the written files, sorted by name.
    public var files: [String] {
        tracks.withLock { $0.values.flatMap { track in (1...max(track.number, 1)).map { Self.name(track.name, $0) } } }
            .sorted()
    }

    /// Writes a piece.
    public func write(_ piece: DecryptedPiece) async throws {
        let audio = PackedAudio(piece.bytes)
        try tracks.withLock { tracks in
            var track = tracks[piece.track] ?? Track(name: piece.track.rawValue + Self.suffix(piece, audio))
            if piece.isInitialization || track.file == nil {
                try track.file?.finish()
                track.number += 1
                let path = folder + "/" + Self.name(track.name, track.number)
                do throws(FileError) {
                    track.file = try OutputFile(path, visibility: .growing)
                } catch {
                    throw PlayerError(.output("\(error)"), path)
                }
            }
            try track.file?.write(audio?.frames ?? piece.bytes)
            tracks[piece.track] = track
        }
    }

    /// Closes the files.
    public func finish() async throws {
        try tracks.withLock { tracks in for track in tracks.values { try track.file?.finish() } }
    }

    private static func name(_ name: String, _ number: Int) -> String {
        guard number > 1, let dot = name.lastIndex(of: ".") else { return name }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }

    private static func suffix(_ piece: DecryptedPiece, _ audio: PackedAudio?) -> String {
        if let format = audio?.format { return "." + format.fileExtension }
        let bytes = piece.bytes
        if bytes.count >= 8,
            ["ftyp", "moov", "styp", "moof", "sidx"].contains(String(decoding: bytes[4..<8], as: UTF8.self))
        {
            return ".mp4"
        }
        if bytes.first == 0x47 { return ".ts" }
        if bytes.starts(with: Array("WEBVTT".utf8)) { return ".vtt" }
        return ".aac"
    }
}
