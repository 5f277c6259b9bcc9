import Foundation
import OwnThreads
import Testing
import VectorFiles

/// Tests of the exact output of commands. Transcripts/ contains command lines and their output.
///
/// A file is a sequence of `$ keyway …` or `$ keyway-origin …` lines, each followed by standard output, standard error, and `[exit N]` if the
/// exit code is not 0. Commands run in a folder with `NAME.spc` and `NAME.ckc` for the vectors they name, with
/// a copy of TestVectors/keys as `keys`, with Playlists/ as `playlists`, and with the clips of PackagerTests as `clips`. To
/// record them again after an intended change, and then review the difference:
///
///     KEYWAY_RECORD=1 swift test --filter Transcript
@Suite("Transcripts", .ownThreads)
struct TranscriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts")
    private static let isRecording = ProcessInfo.processInfo.environment["KEYWAY_RECORD"] != nil
    private static let names: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []

    @Test("Commands print the recorded output", arguments: names)
    func transcript(name: String) throws {
        let url = Self.folder.appending(path: name)
        let expected = try String(contentsOf: url, encoding: .utf8)
        let commands = expected.split(separator: "\n").filter { $0.hasPrefix("$ keyway") }.map(String.init)
        try #require(!commands.isEmpty)
        let found = try commands.map(output).joined(separator: "\n")
        if Self.isRecording {
            try found.write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(found == expected)
        }
    }

    private func output(of command: String) throws -> String {
        let tool = try Tool()
        let words = command.split(separator: " ").map(String.init)
        let arguments = Array(words.dropFirst(2))
        try FileManager.default.createSymbolicLink(
            at: tool.folder.url.appending(path: "keys"),
            withDestinationURL: Keys.folder
        )
        try FileManager.default.createSymbolicLink(
            at: tool.folder.url.appending(path: "playlists"),
            withDestinationURL: Self.folder.deletingLastPathComponent().appending(path: "Playlists")
        )
        try FileManager.default.createSymbolicLink(
            at: tool.folder.url.appending(path: "clips"),
            withDestinationURL: DecryptTests.clips
        )
        for argument in arguments where argument.hasSuffix(".spc") || argument.hasSuffix(".ckc") {
            let vector = "\(argument.suffix(3))/\(argument.dropLast(4)).txt"
            _ = try tool.file(argument, try VectorFile(path: vector).message)
        }
        let outcome = try tool.run(arguments, program: words[1])
        let status = outcome.status == 0 ? "" : "[exit \(outcome.status)]\n"
        return "\(command)\n\(outcome.text)\(outcome.errors)\(status)"
    }

    @Test("Transcripts exist")
    func some() { #expect(Self.names.count >= 5) }
}
