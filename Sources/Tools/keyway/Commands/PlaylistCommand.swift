import ArgumentParser

/// `keyway playlist`: commands for HLS playlists.
struct PlaylistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Check, show and compare HLS playlists.",
        subcommands: [PlaylistCheckCommand.self, PlaylistShowCommand.self, PlaylistDiffCommand.self]
    )
}
