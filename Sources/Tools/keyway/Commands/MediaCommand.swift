import ArgumentParser

/// `keyway media`: commands for media files.
struct MediaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media",
        abstract: "Inspect media files.",
        subcommands: [MediaInspectCommand.self]
    )
}
