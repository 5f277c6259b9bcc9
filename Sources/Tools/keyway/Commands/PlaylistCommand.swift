import ArgumentParser

/// `keyway playlist`: about HLS playlists.
struct PlaylistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "Judge HLS playlists, show what they say, and compare them.",
        subcommands: [PlaylistCheckCommand.self, PlaylistShowCommand.self, PlaylistDiffCommand.self]
    )
}
