import ArgumentParser
import HLSPlaylist
import TextCoding
import ToolSupport

/// `keyway playlist show`.
struct PlaylistShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the content of an HLS playlist: variants and renditions, or keys, dates, and segments."
    )

    @Argument(
        help: .init("A path, or an http or https URL; - for standard input.", valueName: "playlist"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var input: PlaylistInput

    @Flag(help: "List each segment with the keys, IV, and byte range that apply to it.")
    var segments = false

    @OptionGroup var source: PlaylistSourceOptions
    @OptionGroup var options: PlaylistOutputOptions

    func run() async throws {
        let read = try await LoadedPlaylist.read(input, try source.loader(for: [input]))
        var overview = PlaylistOverview(read.playlist, segments: segments)
        if let note = read.note { overview.notes.append(note) }
        if options.output.json {
            try Terminal.write(overview.json(name: read.name, JSONRenderer(reveal: options.reveal)).indented)
        } else {
            let renderer = TextRenderer(reveal: options.reveal, style: Terminal.style)
            try Terminal.write(overview.text(name: read.name, renderer))
        }
    }
}
