package import ArgumentParser
import Foundation

/// The root command of an executable. All executables have the same exit codes and the same form of messages:
///
///     0  success
///     1  the input is invalid, or a check has failed
///     2  the command line is invalid
///     3  a file cannot be read or written, or a connection fails
package protocol CommandRoot: AsyncParsableCommand {
    /// Returns the failure for an error of a library that a command throws; nil for other errors.
    static func failure(for error: any Error) -> CommandFailure?
}

extension CommandRoot {
    package static func failure(for error: any Error) -> CommandFailure? { nil }

    /// Runs the command that the command line specifies, and exits.
    package static func runAndExit() async -> Never {
        Foundation.exit(await exitCode(arguments: Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs the command that the arguments specify, prints a failure to standard error, and returns the exit code.
    package static func exitCode(arguments: [String]) async -> Int32 {
        let named = CommandLineArguments(self, arguments)
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments)
        } catch {
            let isRefused = exitCode(for: error) != .success && arguments.first != "---completion"
            if isRefused, let failure = named.unknownName { return report(failure, named) }
            return report(error, named)
        }
        do {
            var command = command
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            return report(error, named)
        }
    }

    /// Prints an error, or the answer to a request for help, and returns the exit code.
    private static func report(_ error: any Error, _ named: CommandLineArguments) -> Int32 {
        let known: CommandFailure? =
            switch error {
            case let failure as CommandFailure: failure
            case let error as any CommandFailureConvertible: error.commandFailure
            default: failure(for: error)
            }
        if let known {
            Terminal.writeError("error: \(escaped(known.description))")
            if known.kind == .usage { Terminal.writeError(usage(named)) }
            return known.kind.rawValue
        }
        let code = exitCode(for: error)
        guard code != .success else {
            let message = fullMessage(for: error)
            guard !message.isEmpty else { return 0 }
            do { try Terminal.write(message.hasSuffix("\n") ? message : message + "\n") } catch {
                return report(error, named)
            }
            return 0
        }
        let message = message(for: error)
        // A command that has already printed its errors throws only an exit code.
        guard !message.isEmpty else { return code.rawValue }
        let isUsage = code == .validationFailure
        Terminal.writeError("error: \(escaped(ParserMessage.text(message)))")
        if isUsage { Terminal.writeError(usage(named)) }
        return (isUsage ? CommandFailure.Kind.usage : .input).rawValue
    }

    /// Returns the usage of the command that the command line names.
    private static func usage(_ named: CommandLineArguments) -> String {
        let usage = usageString(for: named.commands[named.commands.count - 1])
        return "Usage: \(usage.replacing("\n", with: "\n       "))\n  See '\(named.name) --help' for more information."
    }
}
