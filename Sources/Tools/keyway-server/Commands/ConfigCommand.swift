import ArgumentParser
import Foundation
import KeyServer

/// What the configuration is, and an example of one.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration, or print an example.",
        subcommands: [ConfigCheckCommand.self, ConfigExampleCommand.self]
    )
}

/// Prints what is in force.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Print what is in force and where it comes from; warn of what is risky.",
        discussion:
            """
            Reads the environment too, as `serve` would. Files that cannot be read here are warned of; TLS and secrets that \
            can be read have to be usable. Exit codes: 0 it can be used, 1 it cannot, 2 wrong usage, 3 it cannot be read.
            """
    )

    @Argument(help: "The configuration file; without it, the environment alone.")
    var file: String?

    func run() async throws {
        let loaded = try LoadedConfiguration.load(file)
        let rows = loaded.settings.map { ($0.path, $0.value ?? "-", $0.origin.description) }
        let widths = (rows.map(\.0.count).max() ?? 0, min(rows.map(\.1.count).max() ?? 0, 40))
        for (path, value, origin) in rows {
            print(pad(path, to: widths.0), pad(value, to: widths.1), origin)
        }
        let files = loaded.fileProblems()
        for warning in loaded.warnings + files.unreadable { tell("warning: \(warning)") }
        for error in files.unusable { tell("error: \(error)") }
        guard files.unusable.isEmpty else { throw ExitCode(1) }
    }

    private func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension LoadedConfiguration {
    /// What a file and the environment say.
    ///
    /// - Throws: `ExitCode` 1 when it cannot be used, once every reason is told.
    static func load(_ file: String?) throws -> LoadedConfiguration {
        do {
            return try load(file: file, environment: ProcessInfo.processInfo.environment)
        } catch {
            for problem in error.problems { tell("error: \(problem)") }
            let isReadable = file.map { FileManager.default.isReadableFile(atPath: $0) } ?? true
            throw ExitCode((isReadable ? CommandFailure.Kind.input : .file).rawValue)
        }
    }
}

/// Prints a file with everything in it.
struct ConfigExampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example",
        abstract: "Print a configuration file with every setting, commented."
    )

    func run() async throws { print(ServerConfiguration.example, terminator: "") }
}
