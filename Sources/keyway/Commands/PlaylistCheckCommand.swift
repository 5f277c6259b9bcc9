import ArgumentParser
import HLSPlaylist

/// `keyway playlist check`.
struct PlaylistCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Judge playlists by the rules of HLS, and a Multivariant Playlist with all that it names.",
        discussion: """
            Findings are printed by rule, errors first. Exit code 1 means findings at or above --fail-on. A Media \
            Playlist that cannot be read while a Multivariant Playlist is followed is a finding; exit code 3 means \
            that a playlist of the command line cannot be read.

            A playlist from the web never makes this command read a file, and a file only files of its own folder.
            """
    )

    @Argument(help: .init("Paths, http or https URLs; - for standard input.", valueName: "playlist"))
    var inputs: [String] = []

    @Option(
        name: .customLong("fail-on"),
        help: .init("Fail on findings of this severity and above.", valueName: "severity")
    )
    var failOn = FailOnArgument.error

    @Option(help: .init("A rule that is not kept; can be repeated.", valueName: "rule"))
    var disable: [String] = []

    @Option(help: .init("Keep this rule and no other; can be repeated.", valueName: "rule"))
    var only: [String] = []

    @Flag(help: "List the rules.")
    var rules = false

    @Flag(help: "Show every place where a rule is broken, not only 10.")
    var all = false

    @Flag(inversion: .prefixedNo, help: .init("Judge the Media Playlists that a Multivariant Playlist names."))
    var follow = true

    @Option(name: .customLong("limit-playlists"), help: .init("Follow this many URIs at most.", valueName: "number"))
    var playlistLimit = 200

    @Option(
        help: .init(
            "Let a playlist on disk name files anywhere in this folder, not only in its own.",
            valueName: "folder"
        )
    )
    var root: String?

    @Option(help: .init("An earlier snapshot of the Media Playlist: judge what has changed.", valueName: "playlist"))
    var previous: String?

    @Option(help: .init("Reload a live Media Playlist this many times.", valueName: "number"))
    var watch: Int?

    @OptionGroup var source: PlaylistSourceOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard rules != !inputs.isEmpty else {
            throw ValidationError(rules ? "--rules takes no playlist." : "Give a playlist: a path, - or a URL.")
        }
        if previous != nil || watch != nil, inputs.count != 1 {
            throw ValidationError("--previous and --watch take one playlist.")
        }
        if (inputs + [previous].compactMap { $0 }).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once.")
        }
        guard playlistLimit >= 0 else { throw ValidationError("--limit-playlists is not negative.") }
        if let watch {
            guard watch > 0 else { throw ValidationError("--watch takes a number above 0.") }
            guard inputs != ["-"] else { throw ValidationError("Standard input cannot be reloaded.") }
        }
    }

    func run() async throws {
        if rules { return try Terminal.write(output.json ? Self.rulesJSON.text : LintRule.list) }
        let selection = try RuleSelection(only: only, disabled: disable)
        var loader = try source.loader(for: inputs + [previous].compactMap { $0 })
        loader.root = root
        var judge = PlaylistJudge(loader: loader, linter: Linter(rules: selection.rules))
        judge.follows = follow
        judge.playlistLimit = playlistLimit
        let arguments = try inputs.map { (text) throws(CommandFailure) in try PlaylistInput(argument: text) }
        var found = CheckFindings()
        var failure: CommandFailure?
        for input in arguments {
            do {
                found.append(try await findings(of: input, judge))
            } catch {
                // The others are judged all the same.
                if let failure { Terminal.complain("error: \(escaped(failure.description))") }
                found.files.append(.init(name: input.name, kind: nil, problem: error.what))
                failure = error
            }
        }
        if !found.findings.isEmpty || failure == nil || output.json {
            try Terminal.write(output.json ? found.json.text : found.text(Terminal.style, places: all ? nil : 10))
        }
        if let failure { throw failure }
        try fail(found)
    }

    private static var rulesJSON: JSONValue { .object(["rules": .array(LintRule.all.map(\.json))]) }

    private func findings(of input: PlaylistInput, _ judge: PlaylistJudge) async throws(CommandFailure) -> CheckFindings
    {
        let start = ContinuousClock.now
        let subject = try await judge.read(input)
        if previous != nil || watch != nil {
            try requireMedia(subject, option: previous == nil ? "--watch" : "--previous")
        }
        var found = await judge.check(subject)
        if let previous {
            let before = try await judge.read(PlaylistInput(argument: previous))
            try requireMedia(before, option: "--previous")
            found.findings += judge.check(from: before, to: subject)
        }
        if let watch {
            found.findings += try await ReloadWatch(judge: judge, input: input).findings(
                from: subject,
                loadedAt: start,
                times: watch,
                known: found.findings
            )
        }
        return found
    }

    private func requireMedia(_ subject: PlaylistJudge.Subject, option: String) throws(CommandFailure) {
        guard case .success(let file) = subject.file, file.playlist.kind == .multivariant else { return }
        throw .input(
            "\(option) takes a Media Playlist, and \(subject.name) is a Multivariant Playlist",
            next: "name one of its Media Playlists"
        )
    }

    /// Ends with 1 when there are findings that matter.
    private func fail(_ found: CheckFindings) throws(CommandFailure) {
        let least: Diagnostic.Severity
        switch failOn {
        case .error: least = .error
        case .warning: least = .warning
        case .note: least = .note
        case .never: return
        }
        let count = found.findings.count { $0.severity >= least }
        guard count > 0 else { return }
        let above = least == .error ? "" : " or above"
        throw .input(
            "\(count) \(count == 1 ? "finding" : "findings") of severity \(least)\(above)",
            next: "docs/playlist-rules.md explains the rules"
        )
    }
}
