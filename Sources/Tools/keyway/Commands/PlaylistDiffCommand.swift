import ArgumentParser
import HLSPlaylist
import TextCoding
import ToolSupport

/// `keyway playlist diff`.
struct PlaylistDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show how two playlists differ in meaning.",
        discussion: """
            Segments are matched by media sequence number, variants by stable ID or URI, and renditions by type, \
            group, name, and language. Exit code 1 means that there are differences.
            """
    )

    @Argument(
        help: .init("The first playlist: a path, or an http or https URL; - for standard input.", valueName: "before"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var before: PlaylistInput

    @Argument(
        help: .init("The second playlist: a path, or an http or https URL; - for standard input.", valueName: "after"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var after: PlaylistInput

    @OptionGroup var source: PlaylistSourceOptions
    @OptionGroup var options: PlaylistOutputOptions

    func validate() throws {
        if before.isStandardInput, after.isStandardInput {
            throw ValidationError("Standard input can be read only once.")
        }
    }

    func run() async throws {
        let loader = try source.loader(for: [before, after])
        let first = try await LoadedPlaylist.read(before, loader)
        let second = try await LoadedPlaylist.read(after, loader)
        for read in [first, second] { PlaylistChecker.printNote(read.note, of: read.name) }
        guard let difference = PlaylistDifference(first.playlist, second.playlist) else {
            let isMedia = first.playlist.kind == .media
            throw CommandFailure.input(
                "\(first.name) is a \(isMedia ? "Media" : "Multivariant") Playlist, and \(second.name) is a "
                    + "\(isMedia ? "Multivariant" : "Media") Playlist",
                next: "give two playlists of the same type"
            )
        }
        if options.output.json {
            let renderer = JSONRenderer(reveal: options.reveal)
            try Terminal.write(difference.json(first.name, second.name, renderer).indented)
        } else {
            let renderer = TextRenderer(reveal: options.reveal, style: Terminal.style)
            try Terminal.write(difference.text(first.name, second.name, renderer))
        }
        if !difference.changes.isEmpty { throw CommandFailure.input("the playlists differ") }
    }
}
