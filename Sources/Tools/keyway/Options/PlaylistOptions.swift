import ArgumentParser
import ToolSupport

/// The options that control how playlists are loaded.
struct PlaylistSourceOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: .init(
            "An HTTP header, sent only to the hosts on the command line; @FILE contains one header per line. Repeatable.",
            valueName: "name: value|@file"
        )
    )
    var headers: [SecretArgument] = []

    @Option(help: .init("The timeout of HTTP requests.", valueName: "duration"))
    var timeout = DurationArgument.seconds(30)

    func validate() throws {
        try timeout.require(.milliseconds(1) ... .seconds(86_400), option: "--timeout")
    }

    /// Returns a loader for the inputs on the command line.
    func loader(for inputs: [PlaylistInput]) throws(CommandFailure) -> PlaylistLoader {
        var loader = PlaylistLoader()
        loader.timeout = timeout.seconds
        for input in inputs {
            guard let url = input.url else { continue }
            // If two URLs have the same origin, the one with a password takes precedence.
            loader.origins[url.origin] = .some(url.basicAuthorization ?? loader.origins[url.origin] ?? nil)
        }
        var lines: [String] = []
        for header in headers { lines += try Self.lines(header) }
        guard lines.isEmpty || !loader.origins.isEmpty else {
            throw .usage("--header applies only to http and https URLs, and no input is one")
        }
        for line in lines {
            let header = try Self.header(line)
            loader.headers[header.name] = header.value
        }
        return loader
    }

    private static func lines(_ header: SecretArgument) throws(CommandFailure) -> [String] {
        let text = String(decoding: try header.bytes(), as: UTF8.self)
        return header.isFile ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
    }

    /// Returns the name and value of a header. A value may be secret, so the failure does not contain it.
    private static func header(_ line: String) throws(CommandFailure) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        let isToken = { (byte: UInt8) in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard parts.count == 2, let name = parts.first, !name.isEmpty, name.utf8.allSatisfy(isToken),
            parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else {
            throw .usage("--header: expected 'NAME: VALUE'", next: "give for example 'Authorization: Bearer ...'")
        }
        return (String(name), parts[1].trimmingPrefix(while: \.isWhitespace).description)
    }
}

/// The options that control how a playlist is printed.
struct PlaylistOutputOptions: ParsableArguments {
    @OptionGroup var output: JSONOption

    @Flag(help: "Show complete URIs, including queries, passwords, and data.")
    var reveal = false
}

/// The lowest severity of findings at which a check fails.
enum FailOnArgument: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case note
    case never
}
