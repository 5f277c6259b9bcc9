import ArgumentParser
import DASHManifest
import HLSPlaylist
import TextCoding

/// `keyway playlist check`.
struct PlaylistCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Judge playlists and DASH manifests, and a Multivariant Playlist with all that it names.",
        discussion: """
            Findings are printed by rule, errors first. Exit code 1 means findings at or above --fail-on. A Media \
            Playlist that cannot be read while a Multivariant Playlist is followed is a finding; exit code 3 means \
            that a playlist of the command line cannot be read. A DASH manifest is judged alone.

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

    @Option(
        help: .init("An earlier snapshot of the Media Playlist or manifest: judge what has changed.", valueName: "file")
    )
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
        if rules { return try Terminal.write(output.json ? Self.rulesJSON.indented : CheckRule.list) }
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
                found.append(try await findings(of: input, judge, selection))
            } catch {
                // The others are judged all the same.
                if let failure { Terminal.complain("error: \(escaped(failure.description))") }
                found.files.append(.init(name: input.name, kind: nil, problem: error.what))
                failure = error
            }
        }
        if !found.findings.isEmpty || failure == nil || output.json {
            try Terminal.write(output.json ? found.json.indented : found.text(Terminal.style, places: all ? nil : 10))
        }
        if let failure { throw failure }
        try fail(found)
    }

    private static var rulesJSON: JSONValue { .object(["rules": .array(CheckRule.all.map(\.json))]) }

    private func findings(
        of input: PlaylistInput,
        _ judge: PlaylistJudge,
        _ selection: RuleSelection
    ) async throws(CommandFailure) -> CheckFindings {
        let start = ContinuousClock.now
        let loaded = try await judge.loader.load(input.location)
        if ManifestJudge.isManifest(loaded.bytes) {
            return try await findings(of: loaded, input, judge.loader, MPDChecker(rules: selection.manifestRules))
        }
        let subject = judge.read(loaded, input)
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

    /// What is wrong with a manifest, and with what has changed in it.
    private func findings(
        of loaded: PlaylistLoader.Loaded,
        _ input: PlaylistInput,
        _ loader: PlaylistLoader,
        _ checker: MPDChecker
    ) async throws(CommandFailure) -> CheckFindings {
        guard watch == nil else {
            throw .input("--watch takes a Media Playlist, and \(input.name) is a DASH manifest", next: "use --previous")
        }
        let judge = ManifestJudge(checker: checker)
        let subject = ManifestJudge.read(loaded.bytes, name: input.name)
        var found = judge.check(subject)
        guard let previous else { return found }
        let before = try PlaylistInput(argument: previous)
        let bytes = try await loader.load(before.location).bytes
        guard ManifestJudge.isManifest(bytes) else {
            throw .input(
                "--previous is no DASH manifest, and \(input.name) is one",
                next: "name an earlier state of it"
            )
        }
        let earlier = ManifestJudge.read(bytes, name: before.name)
        if case .failure(let error) = earlier.manifest {
            throw .input("\(before.name) cannot be read as a manifest: \(error)")
        }
        found.findings += judge.check(from: earlier, to: subject)
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
        let isAboutManifests = found.files.allSatisfy { $0.kind == ManifestJudge.kind }
        let above = least == .error ? "" : " or above"
        throw .input(
            "\(count) \(count == 1 ? "finding" : "findings") of severity \(least)\(above)",
            next: "docs/\(isAboutManifests ? "dash" : "playlist")-rules.md explains the rules"
        )
    }
}
