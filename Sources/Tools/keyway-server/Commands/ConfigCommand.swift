import ArgumentParser
import Foundation
import KeyServer
import TextCoding
import ToolSupport

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

            Exit codes: 0 the configuration is usable, 1 it is invalid, 2 usage error, 3 the configuration file is \
            not readable.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The configuration file. Without it, only the environment is read.",
            valueName: "file"
        )
    )
    var file: InputPath?
    @OptionGroup var output: JSONOption

    func run() async throws {
        let loaded = try LoadedConfiguration.load(file?.path)
        let files = loaded.fileProblems()
        let warnings = (loaded.warnings + files.unreadable).map { "\($0)" }
        let errors = files.unusable.map { "\($0)" }
        try output.print(json(loaded.settings, warnings, errors)) { text(loaded.settings) }
        for warning in warnings { Terminal.writeError(escaped("warning: \(warning)")) }
        for error in errors { Terminal.writeError(escaped("error: \(error)")) }
        guard errors.isEmpty else { throw ExitCode(CommandFailure.Kind.input.rawValue) }
    }

    private func json(_ settings: [EffectiveSetting], _ warnings: [String], _ errors: [String]) -> JSONValue {
        let items = settings.map { setting in
            JSONValue.object([
                "path": .string(setting.path), "value": setting.value.map { .string($0) },
                "origin": .string(setting.origin.description),
            ])
        }
        return .object([
            "settings": .array(items), "warnings": .array(warnings.map { .string($0) }),
            "errors": .array(errors.map { .string($0) }),
        ])
    }

    private func text(_ settings: [EffectiveSetting]) -> String {
        let rows = settings.map { ($0.path, $0.value ?? "-", $0.origin.description) }
        let widths = (rows.map(\.0.count).max() ?? 0, min(rows.map(\.1.count).max() ?? 0, 40))
        return rows.map { path, value, origin in
            escaped([pad(path, to: widths.0), pad(value, to: widths.1), origin].joined(separator: " "))
        }
        .joined(separator: "\n")
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
            for problem in error.problems { Terminal.writeError(escaped("error: \(problem)")) }
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

    func run() async throws { try Terminal.write(ServerConfiguration.example) }
}
