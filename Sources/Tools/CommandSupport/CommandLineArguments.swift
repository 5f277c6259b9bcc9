import ArgumentParser
import TextCoding

/// The command that a command line names, and the arguments that follow it.
///
/// The argument parser reports a missing argument before an unknown option, and does not suggest commands. Therefore
/// the command line is searched for unknown names when parsing has failed.
struct CommandLineArguments {
    /// The root and the subcommands that the command line names.
    let commands: [any ParsableCommand.Type]
    /// The arguments after the name of the last command.
    let rest: ArraySlice<String>

    /// Finds the command in the arguments after the name of the executable.
    init(_ root: any ParsableCommand.Type, _ arguments: [String]) {
        var commands = [root]
        var rest = arguments[...]
        while let name = rest.first {
            let subcommands = commands[commands.count - 1].configuration.subcommands
            guard let next = subcommands.first(where: { Self.names($0).contains(name) }) else { break }
            commands.append(next)
            rest = rest.dropFirst()
        }
        self.commands = commands
        self.rest = rest
    }

    /// The name of the executable and of the subcommands.
    var name: String { commands.map { $0._commandName }.joined(separator: " ") }

    /// Returns the first unknown command or option; nil if all names are known.
    var unknownName: CommandFailure? {
        let command = commands[commands.count - 1]
        let subcommands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        guard !subcommands.isEmpty else { return unknownOption(of: command) }
        guard let given = rest.first(where: { !$0.hasPrefix("-") }) else { return unknownOption(of: command) }
        guard given != "help" else { return nil }
        let path = commands.dropFirst().map { $0._commandName }
        let similar = Spelling.similar(given, among: subcommands.map { $0._commandName })
        let words = similar.map { "'\((path + [$0]).joined(separator: " "))'" }
        return .usage(
            "there is no command '\((path + [given]).joined(separator: " "))'",
            next: words.isEmpty
                ? "\(name) --help lists the commands" : "did you mean \(words.joined(separator: " or "))?"
        )
    }

    private func unknownOption(of command: any ParsableCommand.Type) -> CommandFailure? {
        guard let options = CommandOptions(command), let unknown = options.unknown(in: rest) else { return nil }
        return .usage(
            "\(name) has no option \(unknown)",
            next: Spelling.advice(unknown, among: options.names.keys.filter { $0.hasPrefix("--") }.sorted())
                ?? "\(name) --help lists the options"
        )
    }

    private static func names(_ command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}

/// The options of one command, from the description that the argument parser generates of it.
private struct CommandOptions {
    /// The names with their hyphens; true for options with a value.
    var names: [String: Bool] = [
        "--version": false, "--help-hidden": false, "--experimental-dump-help": false,
        "--generate-completion-script": true,
    ]

    init?(_ command: any ParsableCommand.Type) {
        guard let tool = try? JSONValue(parsing: Array(command._dumpHelp().utf8), maximumDepth: 64),
            let arguments = tool["command"]?["arguments"]?.items
        else { return nil }
        for argument in arguments {
            for name in argument["names"]?.items ?? [] {
                let hyphens = name["kind"]?.text == "long" ? "--" : "-"
                names[hyphens + (name["name"]?.text ?? "")] = argument["kind"]?.text == "option"
            }
        }
    }

    /// Returns the first option in the arguments that the command does not have.
    func unknown(in arguments: ArraySlice<String>) -> String? {
        var arguments = arguments
        while let argument = arguments.popFirst(), argument != "--" {
            // A number can be negative, and a single hyphen is standard input or output.
            guard argument.hasPrefix("-"), argument != "-", argument.dropFirst().first?.isNumber != true else {
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if let hasValue = names[name] {
                if hasValue, parts.count == 1, arguments.first?.hasPrefix("-") != true || arguments.first == "-" {
                    arguments = arguments.dropFirst()
                }
            } else if name.hasPrefix("--") || !name.dropFirst().allSatisfy({ names["-\($0)"] != nil }) {
                return name
            }
        }
        return nil
    }
}
