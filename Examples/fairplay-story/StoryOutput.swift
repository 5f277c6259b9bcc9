import Foundation
import StreamPlayer

/// An output that writes the clear media to files, with a new file for each initialization segment, so that a decoder
/// can read each.
actor StoryOutput: MediaOutput {
    /// A file with a section of a track in one quality.
    struct Section: Sendable {
        let track: DecryptedPiece.TrackKind
        let name: String
    }

    nonisolated let supportsInitializationChanges = true
    /// The sections, in playback order.
    private(set) var sections: [Section] = []
    private let programs: StoryPrograms
    private var files: [DecryptedPiece.TrackKind: FileHandle] = [:]

    init(_ programs: StoryPrograms) { self.programs = programs }

    func write(_ piece: DecryptedPiece) throws {
        if piece.isInitialization {
            let name = "played-\(piece.track.rawValue)-\(sections.count).mp4"
            try programs.write("", to: name)
            files[piece.track] = FileHandle(forWritingAtPath: programs.path(name))
            sections.append(Section(track: piece.track, name: name))
        }
        guard let file = files[piece.track] else {
            throw StoryFailure("the player wrote a segment without an initialization segment")
        }
        try file.write(contentsOf: Data(piece.bytes))
    }

    func finish() throws {
        for file in files.values { try file.close() }
        files = [:]
    }
}
