import ArgumentParser
import Foundation
import KeyServer

/// `config`.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration, or print an example.",
        subcommands: [ConfigCheckCommand.self, ConfigExampleCommand.self]
    )
}

/// `config check`.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Print the effective settings and their sources, and warn about risky ones.",
        discussion: """
            Also reads the KEYWAY_… environment variables, as `serve` does. If the account that runs the command \
            cannot read a file that a setting names, it prints a warning; TLS files and secrets that it can read \
            must be valid.

            Exit status: 0 the configuration is usable, 1 it is invalid, 2 usage error, 3 the configuration file is \
            not readable.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The configuration file. Without it, only the environment is read.",
            valueName: "file"
        )
    )
    var file: String?

    func run() async throws {
        let loaded = try LoadedConfiguration.load(file)
        let rows = loaded.settings.map { ($0.path, $0.value ?? "-", $0.origin.description) }
        let widths = (rows.map(\.0.count).max() ?? 0, min(rows.map(\.1.count).max() ?? 0, 40))
        for (path, value, origin) in rows {
            print(pad(path, to: widths.0), pad(value, to: widths.1), origin)
        }
        let files = loaded.fileProblems()
        for warning in loaded.warnings + files.unreadable { printToStandardError("warning: \(warning)") }
        for error in files.unusable { printToStandardError("error: \(error)") }
        guard files.unusable.isEmpty else { throw ExitCode(1) }
    }

    private func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension LoadedConfiguration {
    /// Loads the configuration from a file and the environment.
    ///
    /// - Throws: `ExitCode` 1 if the configuration is invalid, 3 if the file cannot be read, after every error has been
    ///   printed.
    static func load(_ file: String?) throws -> LoadedConfiguration {
        do {
            return try load(file: file, environment: ProcessInfo.processInfo.environment)
        } catch {
            for problem in error.problems { printToStandardError("error: \(problem)") }
            let isReadable = file.map { FileManager.default.isReadableFile(atPath: $0) } ?? true
            throw ExitCode((isReadable ? CommandFailure.Kind.input : .file).rawValue)
        }
    }
}

/// `config example`.
struct ConfigExampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example",
        abstract: "Print an annotated configuration file with every setting."
    )

    func run() async throws { print(ServerConfiguration.example, terminator: "") }
}
