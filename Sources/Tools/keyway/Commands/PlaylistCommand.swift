import ArgumentParser

/// `keyway playlist`: commands for HLS playlists.
struct PlaylistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Check HLS playlists and DASH manifests, and show and compare HLS playlists.",
        subcommands: [PlaylistCheckCommand.self, PlaylistShowCommand.self, PlaylistDiffCommand.self]
    )
}
