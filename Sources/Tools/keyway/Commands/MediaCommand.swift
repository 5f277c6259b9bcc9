import ArgumentParser

/// `keyway media`: about files of media.
struct MediaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media",
        abstract: "Look into files of media.",
        subcommands: [MediaInspectCommand.self]
    )
}
