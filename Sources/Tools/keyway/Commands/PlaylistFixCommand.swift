import ArgumentParser
import FileWriting
import HLSPlaylist
import TextCoding
import ToolSupport

/// `keyway playlist fix`.
struct PlaylistFixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix",
        abstract: "Correct an HLS playlist where the correction is mechanical, and print it.",
        discussion: """
            Corrected are: spaces and tabs, missing commas and quotation marks, misspelled names of tags and \
            attributes, the first line, the protocol version, and the target duration. The corrections and the \
            errors that remain are printed to standard error. Exit code 1 means that errors remain; the corrected \
            playlist is printed or written nevertheless.
            """
    )

    @Argument(
        help: .init("A path, or an http or https URL; - for standard input.", valueName: "playlist"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var input: PlaylistInput

    @Flag(name: .customLong("in-place"), help: "Replace the file instead of printing the playlist.")
    var inPlace = false

    @Flag(name: .customLong("dry-run"), help: "Print a unified diff instead of the playlist, and change nothing.")
    var dryRun = false

    @OptionGroup var source: PlaylistSourceOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        if inPlace, dryRun { throw ValidationError("--in-place cannot be combined with --dry-run.") }
        guard inPlace else { return }
        guard case .file = input.location else {
            throw ValidationError("--in-place requires a file: without it, the playlist is printed.")
        }
    }

    func run() async throws {
        let loaded = try await source.loader(for: [input]).load(input.location)
        PlaylistChecker.printNote(loaded.note, of: input.name)
        let options = ParsingOptions(url: loaded.location.isRemote ? loaded.location.base : nil)
        let result = try FixedPlaylist(loaded.bytes, name: input.name, options)
        if inPlace, case .file(let path) = input.location, !result.fixes.isEmpty {
            try OutputFile.write(result.bytes, to: path)
        }
        if output.json {
            try Terminal.write(result.json.indented)
        } else {
            for line in result.report { Terminal.writeError(line) }
            if dryRun {
                try Terminal.write(result.diff)
            } else if !inPlace {
                try Terminal.write(result.bytes)
            }
        }
        let errors = result.remaining.count { $0.severity == .error }
        if errors > 0 {
            throw CommandFailure.input(
                "\(counted(errors, "error")) cannot be corrected mechanically",
                next: "run keyway playlist check on the result, and correct the playlist where it is made"
            )
        }
    }
}
