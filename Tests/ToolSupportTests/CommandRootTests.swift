import ArgumentParser
import Testing

@testable import CommandSupport
@testable import ToolSupport

/// Tests of exit codes and error messages. The executables' tests check what they print.
@Suite("Command lines")
struct CommandRootTests {
    @Test(
        "The exit code is 0 for success, 1 for input, 2 for usage, and 3 for files",
        arguments: [
            (["--help"], 0), (["--version"], 0), (["media", "--help"], 0), (["help", "media", "list"], 0),
            (["media", "list", "a"], 0), (["media", "list", "input"], 1), (["media", "list", "other"], 1),
            (["media", "list", "file"], 3), (["media", "list", "usage"], 2), (["media", "list", "validation"], 2),
            (["media", "list"], 2), (["media", "lits"], 2), (["frobnicate"], 2),
            (["media", "list", "a", "--bogus"], 2),
            (["media", "list", "a", "b"], 2), (["media", "list", "a", "--timeout", "5"], 2),
            (["media", "list", "code"], 1),
        ] as [([String], Int32)]
    )
    func exitCodes(arguments: [String], code: Int32) async {
        #expect(await Root.exitCode(arguments: arguments) == code)
    }

    @Test(
        "An unknown name is reported with the most similar names",
        arguments: [
            (["medai"], "there is no command 'medai'; did you mean 'media'?"),
            (["media", "lits"], "there is no command 'media lits'; did you mean 'media list'?"),
            (["frobnicate"], "there is no command 'frobnicate'; tool --help lists the commands"),
            (["media", "list", "--tmeout", "5s"], "tool media list has no option --tmeout; did you mean --timeout?"),
            (
                ["media", "list", "--bogus=1", "a"],
                "tool media list has no option --bogus; tool media list --help lists the options"
            ),
            (["media", "list", "-x"], "tool media list has no option -x; tool media list --help lists the options"),
            (["--bogus"], "tool has no option --bogus; tool --help lists the options"),
        ]
    )
    func unknownNames(arguments: [String], message: String) {
        #expect(CommandLineArguments(Root.self, arguments).unknownName?.description == message)
    }

    @Test(
        "Values, numbers, and what follows -- are not options",
        arguments: [
            ["media", "list", "--timeout", "5s", "-v"], ["media", "list", "-", "-5", "--", "--bogus"],
            ["media", "list", "--timeout=5s"], ["media", "list", "-qv"], ["help", "medai"],
        ]
    )
    func knownNames(arguments: [String]) {
        #expect(CommandLineArguments(Root.self, arguments).unknownName == nil)
    }

    @Test(
        "Messages of the argument parser get the form of the others",
        arguments: [
            (
                "The value 'x' is invalid for '--timeout <duration>'",
                "--timeout: expected a duration with a unit, such as 90s, 10m, 2h, or PT10M, not 'x'"
            ),
            (
                "The value 'a b' is invalid for '--track <kind>'. Please provide one of 'audio' and 'video'.",
                "--track: expected audio, video, not 'a b'"
            ),
            ("The value 'it's' is invalid for '<file>'", "<file>: expected <file>, not 'it's'"),
            ("The value 'x' is invalid for '--out <path>': The path is too long.", "--out: the path is too long"),
            (
                "The value 'ftp://ann:s3cr3t@host' is invalid for '--server <url>'",
                "--server: expected an http:// or https:// URL"
            ),
            (
                "The value 's3://a/b' is invalid for '--out <folder>'",
                "--out: s3://a/b looks like a URL, but output is written to files: give a path, and upload from there "
                    + "(aws s3 cp --recursive PATH s3://a/b)"
            ),
            (
                "The value 'a,' is invalid for '--assets <list>'",
                "--assets: expected values separated by commas, not 'a,'"
            ),
            ("Missing expected argument '<url>'", "missing expected argument '<url>'"),
            ("HDCP is not supported.", "HDCP is not supported"), ("Do this. Or that.", "do this. Or that."),
        ]
    )
    func messages(message: String, expected: String) { #expect(ParserMessage.text(message) == expected) }
}

private struct Root: CommandRoot {
    static let configuration = CommandConfiguration(commandName: "tool", version: "1", subcommands: [Media.self])
}

private struct Media: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [List.self])
}

private struct List: AsyncParsableCommand {
    @Argument var file: String
    @Option var timeout = DurationArgument.seconds(30)
    @Flag(name: .shortAndLong) var quiet = false
    @Flag(name: .shortAndLong) var verbose = false

    private struct OtherError: Error {}

    func run() async throws {
        switch file {
        case "input": throw CommandFailure.input("a")
        case "usage": throw CommandFailure.usage("a")
        case "file": throw CommandFailure.file("a", next: "b")
        case "validation": throw ValidationError("A.")
        case "other": throw OtherError()
        case "code": throw ExitCode(1)
        default: break
        }
    }
}
