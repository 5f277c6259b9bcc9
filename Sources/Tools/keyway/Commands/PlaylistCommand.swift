import ArgumentParser

/// `keyway playlist`: commands for HLS playlists.
struct PlaylistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Check HLS playlists and DASH manifests, and show, compare, and correct HLS playlists.",
        subcommands: [
            PlaylistCheckCommand.self, PlaylistShowCommand.self, PlaylistDiffCommand.self, PlaylistFixCommand.self,
        ]
    )
}
