import FileWriting
import Foundation
import StreamPlayer

/// Writes the clear media to files, a new one whenever a track goes on with another init segment: a decoder reads each.
actor StoryOutput: MediaOutput {
    /// A file: one stretch of a track in one quality.
    struct Stretch: Sendable {
        let track: ClearPiece.TrackKind
        let name: String
    }

    nonisolated let takesNewInitializations = true
    /// In the order of playing.
    private(set) var stretches: [Stretch] = []
    private let programs: StoryPrograms
    private var files: [ClearPiece.TrackKind: FileHandle] = [:]

    init(_ programs: StoryPrograms) { self.programs = programs }

    func write(_ piece: ClearPiece) throws {
        if piece.isInitialization {
            let name = "played-\(piece.track.rawValue)-\(stretches.count).mp4"
            try OutputFile.write([], to: programs.path(name), access: .owner)
            files[piece.track] = FileHandle(forWritingAtPath: programs.path(name))
            stretches.append(Stretch(track: piece.track, name: name))
        }
        guard let file = files[piece.track] else { throw CommandFailure.file("a segment came before its init segment") }
        try file.write(contentsOf: Data(piece.bytes))
    }

    func finish() throws {
        for file in files.values { try file.close() }
        files = [:]
    }
}
