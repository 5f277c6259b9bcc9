import ArgumentParser

/// How playlists are fetched.
struct PlaylistSourceOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: .init(
            "A header of HTTP requests, for the hosts named on the command line; @FILE reads headers, a line each.",
            valueName: "name: value|@file"
        )
    )
    var headers: [String] = []

    @Option(help: .init("How long the answer of a server may take.", valueName: "seconds"))
    var timeout = 30.0

    func validate() throws {
        guard timeout.isFinite, timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout is a number of seconds above 0.")
        }
    }

    /// A loader for what is on the command line.
    func loader(for inputs: [String]) throws(CommandFailure) -> PlaylistLoader {
        var loader = PlaylistLoader()
        loader.timeout = timeout
        for input in inputs {
            guard let url = KeyServerClient.url(input) else { continue }
            // Of two URLs of one host, the one with a password has the say.
            loader.origins[url.origin] = .some(url.basicAuthorization ?? loader.origins[url.origin] ?? nil)
        }
        var lines: [String] = []
        for text in headers { lines += try Self.lines(text) }
        guard lines.isEmpty || !loader.origins.isEmpty else {
            throw .usage("--header is for http and https, and nothing is read from there")
        }
        for line in lines {
            let header = try Self.header(line)
            loader.headers[header.name] = header.value
        }
        return loader
    }

    private static func lines(_ text: String) throws(CommandFailure) -> [String] {
        guard text.hasPrefix("@") else { return [text] }
        let content = String(decoding: try InputFile.readSecret(String(text.dropFirst())), as: UTF8.self)
        return content.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The parts of a header. A value may be secret, so the failure does not hold it.
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
            throw .usage("--header takes a name, a colon and a value", next: "such as 'Authorization: Bearer ...'")
        }
        return (String(name), parts[1].trimmingPrefix(while: \.isWhitespace).description)
    }
}

/// How much of a playlist is shown.
struct PlaylistOutputOptions: ParsableArguments {
    @OptionGroup var output: JSONOption

    @Flag(help: "Show URIs whole: with their queries, passwords and data.")
    var reveal = false
}

/// Severities at which a check fails.
enum FailOnArgument: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case note
    case never
}
