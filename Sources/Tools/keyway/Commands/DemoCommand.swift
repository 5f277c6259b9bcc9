import ArgumentParser

/// `keyway demo`: demonstrations.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrate how the parts work together.",
        subcommands: [DemoStoryCommand.self]
    )
}
