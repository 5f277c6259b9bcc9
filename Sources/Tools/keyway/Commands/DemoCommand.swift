import ArgumentParser

/// `keyway demo`: things to see.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See how the parts work together.",
        subcommands: [DemoStoryCommand.self]
    )
}
