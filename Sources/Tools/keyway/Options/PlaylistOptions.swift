import ArgumentParser
import HLSPlaylist
import ToolSupport

/// The options that control how playlists are loaded.
struct PlaylistSourceOptions: ParsableArguments {
    @OptionGroup var web: WebOptions

    @Option(help: .init("The timeout of HTTP requests.", valueName: "duration"))
    var timeout = DurationArgument.seconds(30)

    @OptionGroup var saved: SavedPlaylistOptions

    func validate() throws {
        try timeout.require(.milliseconds(1) ... .seconds(86_400), option: "--timeout")
    }

    /// Returns a loader for the inputs on the command line.
    func loader(for inputs: [PlaylistInput]) throws(CommandFailure) -> PlaylistLoader {
        var loader = PlaylistLoader()
        loader.timeout = timeout.seconds
        guard saved.url == nil || inputs.contains(where: { !$0.location.isRemote }) else {
            throw .usage("--url applies only to files and standard input, and no input is one")
        }
        loader.savedFrom = saved.url?.url.withoutUserInformation
        if !saved.variables.isEmpty { loader.variables = saved.values }
        loader.client = try web.client(for: inputs.compactMap(\.url) + [saved.url?.url].compactMap { $0 })
        return loader
    }
}

/// The options for a playlist that is not in its place: saved to a file, or without its Multivariant Playlist.
struct SavedPlaylistOptions: ParsableArguments {
    @Option(
        help: .init(
            "The URL that a playlist in a file or in standard input was saved from: the base of its relative URIs, "
                + "and the source of EXT-X-DEFINE with QUERYPARAM. (default: its path)",
            valueName: "url"
        )
    )
    var url: URLArgument?

    @Option(
        name: .customLong("variable"),
        help: .init(
            "A variable that a Media Playlist on the command line imports (EXT-X-DEFINE with IMPORT). Repeatable. "
                + "(default: none)",
            valueName: "name=value"
        )
    )
    var variables: [VariableArgument] = []

    /// The values of the variables by name; the last one counts.
    var values: [String: String] { Dictionary(variables.map { ($0.name, $0.value) }) { $1 } }
}

/// A variable on the command line.
///
///     variable = NAME "=" VALUE
struct VariableArgument: ExpressibleByArgument, Sendable {
    let name: String
    let value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex,
            argument[..<equals].utf8.allSatisfy({
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            })
        else { return nil }
        (name, value) = (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }
}

/// The options that control how a playlist is printed.
struct PlaylistOutputOptions: ParsableArguments {
    @OptionGroup var output: JSONOption

    @Flag(help: "Show complete URIs, including queries, passwords, and data.")
    var reveal = false
}

/// A profile of rules that a check applies in addition to the general rules.
enum RuleProfileArgument: String, ExpressibleByArgument, CaseIterable {
    case apple

    /// The profile of the library.
    var profile: LintRule.Profile {
        switch self {
        case .apple: .apple
        }
    }
}

/// The lowest severity of findings at which a check fails.
enum FailOnArgument: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case note
    case never
}
