import ArgumentParser
import ContentKeySession
import DASHManifest
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// `keyway playlist check`.
struct PlaylistCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check HLS playlists, including all Media Playlists of a Multivariant Playlist, and DASH manifests.",
        discussion: """
            Findings are grouped by rule, errors first. Exit code 1 means that there are findings of the --fail-on \
            severity or above. A Media Playlist of a Multivariant Playlist that cannot be read is a finding; a \
            playlist on the command line that cannot be read ends the command with exit code 3. A DASH manifest is \
            checked without its segments.

            With --watch, live playlists are reloaded, those of a Multivariant Playlist concurrently. A new segment \
            that comes too late or too early, and a reload that fails, are findings. Blocking reloads, partial \
            segments, and delta updates are used if the server offers them.

            A playlist from the web never makes this command read a local file; a local playlist can reference only \
            files in its own folder, or with --root, in that folder.
            """
    )

    @Argument(
        help: .init("Paths, or http or https URLs; - for standard input.", valueName: "playlist"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var inputs: [PlaylistInput] = []

    @Option(
        name: .customLong("fail-on"),
        help: .init("Fail on findings of this severity or above.", valueName: "severity")
    )
    var failOn = FailOnArgument.error

    @Option(
        help: .init(
            "Do not check this rule, one of those that --rules lists. Repeatable; it also applies to rules given with "
                + "--only.",
            valueName: "rule"
        ),
        completion: RuleSelection.completion,
        transform: RuleSelection.rule(named:)
    )
    var disable: [String] = []

    @Option(
        help: .init(
            "Check only the given rules, of those that --rules lists. Repeatable. (default: all rules)",
            valueName: "rule"
        ),
        completion: RuleSelection.completion,
        transform: RuleSelection.rule(named:)
    )
    var only: [String] = []

    @Option(
        help: .init(
            "Also check the rules of a profile: apple for Apple's HLS authoring specification. (default: none)",
            valueName: "name"
        )
    )
    var profile: RuleProfileArgument?

    @Flag(help: "List the rules, with those of --profile; no playlist may be given.")
    var rules = false

    @Flag(
        help: .init(
            "Show every location where a rule is broken, instead of only the first 10 of each rule. "
                + "JSON always contains all."
        )
    )
    var all = false

    @Flag(inversion: .prefixedNo, help: .init("Check the Media Playlists of a Multivariant Playlist."))
    var follow = true

    @Option(
        name: .customLong("limit-playlists"),
        help: .init("The maximum number of Media Playlists of a Multivariant Playlist to check.", valueName: "number")
    )
    var playlistLimit = 200

    @Option(
        name: .customLong("clear-playlist"),
        help: .init(
            "The URI of a Media Playlist that is intended to be clear although others are encrypted, as written in "
                + "the Multivariant Playlist. Repeatable. (default: none)",
            valueName: "uri"
        )
    )
    var clearPlaylists: [String] = []

    @Option(
        help: .init(
            "Let a local playlist reference files anywhere in this folder, not only in its own "
                + "folder. (default: its own folder)",
            valueName: "folder"
        )
    )
    var root: FolderPath?

    @Option(
        help: .init(
            "An earlier version of the Media Playlist or manifest, to check the changes since then; - "
                + "for standard input. (default: none)",
            valueName: "playlist"
        ),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var previous: PlaylistInput?

    @Option(
        help: .init(
            "Reload live Media Playlists as a player does, and check the changes and their times: a number "
                + "of reloads of each playlist (20), or a duration (10m); less if all have ended, or with "
                + "Control-C. (default: no reloads)",
            valueName: "length"
        )
    )
    var watch: WatchLimit?

    @Flag(
        help: .init(
            "Compare the URIs of --previous and --watch without their queries, for servers that change the "
                + "tokens in them."
        )
    )
    var ignoreQuery = false

    @OptionGroup var source: PlaylistSourceOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard rules != !inputs.isEmpty else {
            throw ValidationError(
                rules
                    ? "--rules cannot be combined with a playlist." : "No playlist is given: give a path, -, or a URL."
            )
        }
        guard !ignoreQuery || previous != nil || watch != nil else {
            throw ValidationError("--ignore-query requires --previous or --watch.")
        }
        if previous != nil || watch != nil, inputs.count != 1 {
            throw ValidationError("--previous and --watch require exactly one playlist.")
        }
        if (inputs + [previous].compactMap { $0 }).count(where: \.isStandardInput) > 1 {
            throw ValidationError("Standard input can be read only once.")
        }
        guard playlistLimit >= 0 else { throw ValidationError("--limit-playlists: expected 0 or more.") }
        if source.saved.url != nil || !source.saved.variables.isEmpty, inputs.count != 1 {
            throw ValidationError("--url and --variable require exactly one playlist.")
        }
        if let watch {
            guard watch.isPositive else { throw ValidationError("--watch: expected a number or duration above 0.") }
            guard !inputs[0].isStandardInput else { throw ValidationError("Standard input cannot be reloaded.") }
        }
    }

    func run() async throws {
        let profiles = Set([profile?.profile].compactMap { $0 })
        if rules {
            let listed = CheckRule.all(with: profiles)
            return try Terminal.write(output.json ? CheckRule.json(listed).indented : CheckRule.list(listed))
        }
        let selection = RuleSelection(only: only, disabled: disable, profiles: profiles)
        var loader = try source.loader(for: inputs + [previous].compactMap { $0 })
        loader.root = root?.path
        var linter = Linter(rules: selection.rules)
        linter.options = LintOptions(clearPlaylists: Set(clearPlaylists), ignoresQueries: ignoreQuery)
        var checker = PlaylistChecker(loader: loader, linter: linter)
        checker.follows = follow
        checker.playlistLimit = playlistLimit
        var found = CheckFindings()
        var failure: CommandFailure?
        for input in inputs {
            do {
                found.append(try await findings(of: input, checker, selection))
            } catch {
                // An input that cannot be read does not stop the check of the others.
                if let failure { Terminal.writeError("error: \(escaped(failure.description))") }
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

    private func findings(
        of input: PlaylistInput,
        _ checker: PlaylistChecker,
        _ selection: RuleSelection
    ) async throws(CommandFailure) -> CheckFindings {
        let time = ElapsedTime(ContinuousClock())
        let loaded = try await checker.loader.load(input.location)
        if ManifestChecker.isManifest(loaded.bytes) {
            return try await findings(of: loaded, input, checker.loader, MPDChecker(rules: selection.manifestRules))
        }
        let subject = checker.read(loaded, input)
        if previous != nil { try requireMedia(subject, option: "--previous") }
        var (found, media) = await checker.check(subject)
        if let previous {
            let before = try await checker.read(previous)
            try requireMedia(before, option: "--previous")
            found.findings += checker.check(from: before, to: subject)
        }
        if let watch {
            let watches = PlaylistWatches(checker: checker, input: input, subject: subject, time: time)
            let checks = PlaylistWatch.Checks(linter: checker.linter, rules: selection.watchRules)
            try await watches.run(media, checks, until: watch, &found)
        }
        return found
    }

    /// Returns the findings of a manifest, and of its changes since the earlier version.
    private func findings(
        of loaded: PlaylistLoader.Loaded,
        _ input: PlaylistInput,
        _ loader: PlaylistLoader,
        _ mpdChecker: MPDChecker
    ) async throws(CommandFailure) -> CheckFindings {
        guard watch == nil else {
            throw .input(
                "--watch requires an HLS playlist, but \(input.name) is a DASH manifest",
                next: "use --previous"
            )
        }
        let checker = ManifestChecker(mpdChecker: mpdChecker)
        let subject = ManifestChecker.read(loaded.bytes, name: input.name)
        var found = checker.check(subject)
        guard let previous else { return found }
        let bytes = try await loader.load(previous.location).bytes
        guard ManifestChecker.isManifest(bytes) else {
            throw .input(
                "--previous is not a DASH manifest, but \(input.name) is",
                next: "give an earlier version of the manifest"
            )
        }
        let earlier = ManifestChecker.read(bytes, name: previous.name)
        if case .failure(let error) = earlier.manifest {
            throw .input("\(previous.name) cannot be read as a manifest: \(error)")
        }
        found.findings += checker.check(from: earlier, to: subject)
        return found
    }

    private func requireMedia(_ subject: PlaylistChecker.Subject, option: String) throws(CommandFailure) {
        guard case .success(let file) = subject.file, file.playlist.kind == .multivariant else { return }
        throw .input(
            "\(option) requires a Media Playlist, but \(subject.name) is a Multivariant Playlist",
            next: "give one of its Media Playlists"
        )
    }

    /// Fails with exit code 1 if there are findings of the `--fail-on` severity or above.
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
        let isAboutManifests = found.files.allSatisfy { $0.kind == ManifestChecker.kind }
        let above = least == .error ? "" : " or above"
        let pages =
            [isAboutManifests ? "dash" : "playlist"] + (isAboutManifests ? [] : [profile?.rawValue].compactMap { $0 })
        throw .input(
            "\(counted(count, "finding")) of severity \(least)\(above)",
            next: "see \(pages.map { "docs/\($0)-rules.md" }.joined(separator: " and ")) for the rules"
        )
    }
}
