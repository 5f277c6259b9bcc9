import ArgumentParser
import FileWriting
import Foundation
import HLSPlaylist
import StreamValidation
import TextCoding
import ToolSupport

/// `keyway validate`.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate a whole HLS presentation: its playlists, and what is really in its segments.",
        discussion: """
            All playlists and segments of the presentation are loaded and measured: bit rates, durations, timestamps, \
            key frames, formats, and encryption; what is measured is compared with what the playlists promise, by the \
            rules of RFC 8216bis and of Apple's HLS authoring specification. No key is needed: headers, times, and \
            sizes stay clear in segments encrypted with SAMPLE-AES or cbcs.

            With --server, --clear-keys, --key-file, or --key-env, encrypted segments are also opened: a wrong key and a \
            wrong initialization vector are told apart, and licenses are compared with HDCP-LEVEL and ALLOWED-CPC.

              keyway validate URL --fail-on critical
              keyway validate URL --server http://127.0.0.1:8080 \
                  --credentials dev --fail-on critical
              keyway validate URL --sample 10% --allow-partial --html report.html --fail-on never
              keyway validate URL --target ios --target tvos --fail-on critical
              keyway validate URL --loudness --fail-on critical
              keyway validate URL --watch 10m --fail-on critical

            Findings have a level: critical (it does not play), must, should, or advice. Exit code 1 means that there \
            are findings of the --fail-on level or above, 3 that the playlist could not be loaded, or that there are \
            no such findings, but not all segments were loaded; --allow-partial makes that a success.

            A playlist from the web never makes this command read a local file, or something from a private address; \
            a local playlist can reference only files in its own folder, or with --root, in that folder.
            """
    )

    @Argument(
        help: .init("The path or URL of a Multivariant or Media Playlist.", valueName: "url|file"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var playlist: PlaylistInput?

    @Option(help: .init("Load this share of the segments, such as 10%. (default: all)", valueName: "share"))
    var sample: ShareArgument?

    @Option(
        help: .init("Load only segments that begin in this time from the start. (default: all)", valueName: "duration")
    )
    var first: DurationArgument?

    @Flag(help: "Load only playlists, and no segments.")
    var playlistsOnly = false

    @Flag(
        name: .customLong("loudness"),
        help: .init(
            "Also decode all audio that is loaded with ffmpeg, and compare its loudness with what the media declare. This loads "
                + "the segments with audio again and takes longer than everything else."
        )
    )
    var measuresLoudness = false

    @Option(
        name: .customLong("fail-on"),
        help: .init("Fail on findings of this level or above.", valueName: "severity")
    )
    var failOn = LevelArgument.must

    @Option(help: .init("Do not report this rule, one of those that --rules lists. Repeatable.", valueName: "rule"))
    var disable: [String] = []

    @Flag(
        help: .init(
            "Show every place of each rule, instead of only the first 10, and each requirement that was not validated; with "
                + "--rules, what to do. JSON always contains all."
        )
    )
    var all = false

    @Option(
        help: .init("Also write an HTML report, one file that needs no other. (default: none)", valueName: "file")
    )
    var html: OutputPath?

    @Option(help: .init("Also write the findings in SARIF 2.1.0, for code hosts. (default: none)", valueName: "file"))
    var sarif: OutputPath?

    @Option(help: .init("Also write the findings as JUnit XML, for CI systems. (default: none)", valueName: "file"))
    var junit: OutputPath?

    @Option(
        help: .init(
            "Also write the findings in the form of Apple's validation_data.json 1.x, for programs that read it. "
                + "(default: none)",
            valueName: "file"
        )
    )
    var compatJson: OutputPath?

    @Option(
        help: .init(
            "Let a local playlist reference files anywhere in this folder, not only in its own folder. "
                + "(default: its own folder)",
            valueName: "folder"
        )
    )
    var root: FolderPath?

    @Flag(help: "Let a playlist from a public host reference private addresses.")
    var allowPrivate = false

    @OptionGroup(title: "Loading") var loading: ValidationLoadingOptions
    @OptionGroup(title: "Live") var live: WatchOptions
    @OptionGroup(title: "Judging") var judging: JudgingOptions
    @OptionGroup(title: "Keys") var keys: ValidationKeyOptions
    @OptionGroup(title: "Requests") var web: WebOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard judging.rules != (playlist != nil) else {
            throw ValidationError(
                judging.rules
                    ? "--rules cannot be combined with a playlist." : "No playlist is given: give a path or URL."
            )
        }
        guard playlist?.isStandardInput != true else {
            throw ValidationError("Standard input cannot be validated, because its segments have no location.")
        }
        guard live.duration == nil || (sample == nil && first == nil && !playlistsOnly) else {
            throw ValidationError("--watch cannot be combined with --sample, --first and --playlists-only.")
        }
        guard !playlistsOnly || (sample == nil && first == nil) else {
            throw ValidationError("--playlists-only cannot be combined with --sample and --first.")
        }
        guard !measuresLoudness || (live.duration == nil && !playlistsOnly) else {
            throw ValidationError("--loudness cannot be combined with --watch and --playlists-only.")
        }
        for rule in disable { try JudgingOptions.requireRule(rule, option: "--disable") }
    }

    func run() async throws {
        guard let input = playlist else {
            let listing = RuleListing(judging.profile.profile)
            return try output.print(listing.json, text: { listing.text(isComplete: all) })
        }
        var judgmentSettings = try judging.settings(disabled: disable, now: Int64(Date().timeIntervalSince1970))
        var loader = PlaylistLoader()
        loader.client = try web.client(for: [input.url].compactMap { $0 })
        loader.root = root?.path
        var resources = StreamResources(root: input.location, loader: loader, allowsPrivateHosts: allowPrivate)
        resources.cache = try loading.openCache()
        resources.rate = loading.maximumRate.map { DownloadRate(bytesPerSecond: $0.bytesPerSecond) }
        defer { resources.cache?.trim() }
        var settings = StreamValidator.Settings()
        loading.apply(to: &settings)
        settings.sampling = playlistsOnly ? .none : SegmentSampling(share: sample?.value ?? 1, end: first?.seconds)
        let progress = ValidationProgressLine(isWanted: !loading.quiet)
        defer { progress.clear() }
        var validator = StreamValidator(resources: resources, settings: settings)
        (validator.keySource, validator.decoder) = (try keys.keySource(resources), keys.decoder)
        if measuresLoudness { validator.loudnessMeter = FFmpegLoudnessMeter(path: FFmpegProcess.installedPath) }
        judgmentSettings.hasKeys = validator.keySource != nil
        judgmentSettings.isWatched = live.duration != nil
        let report: ValidationReport
        do {
            if let duration = live.duration {
                report = try await live.watch(
                    input.location.base,
                    for: duration,
                    resources.withoutRetries,
                    opening: validator
                )
            } else {
                report = try await validator.validate(input.location.base) { progress.show($0) }
            }
        } catch {
            throw CommandFailure.file(
                "cannot load \(input.name): \(error.reason)",
                next: "check the URL and the server"
            )
        }
        progress.clear()
        let judgment = Judgment(report, settings: judgmentSettings)
        try write(report, judgment, name: input.name)
        let text = ValidationText(report, judgment)
        try output.print(text.json, text: { text.text(Terminal.style, places: all ? nil : 10) })
        if let least = failOn.level {
            let count = judgment.failures(least).count
            guard count == 0 else {
                throw CommandFailure.input("\(counted(count, "finding")) of level \(least.rawValue) or above")
            }
        }
        guard !judgment.isPartial || judging.allowPartial else {
            throw CommandFailure.file(
                "not all segments were loaded, so the validation is incomplete",
                next: "load all of them, or give --allow-partial"
            )
        }
    }
}

extension ValidateCommand {
    /// Writes the reports to files.
    private func write(_ report: ValidationReport, _ judgment: Judgment, name: String) throws(CommandFailure) {
        let version = Keyway.configuration.version
        if let html {
            let page = HTMLReport(report: report, judgment: judgment, title: name, version: version)
            try OutputFile.write(Array(page.text.utf8), to: html.path)
        }
        if let sarif {
            let document = SARIFReport(judgment: judgment, version: version).json
            try OutputFile.write(Array(document.indented.utf8), to: sarif.path)
        }
        if let junit {
            let document = JUnitReport(report: report, judgment: judgment, least: failOn.level)
            try OutputFile.write(document.bytes, to: junit.path)
        }
        if let compatJson {
            let document = CompatibleReport(report: report, judgment: judgment, name: name, version: version).json
            try OutputFile.write(Array(document.indented.utf8), to: compatJson.path)
        }
        try judging.write(judgment)
    }
}

/// The lowest level of findings at which `keyway validate` fails.
enum LevelArgument: String, ExpressibleByArgument, CaseIterable {
    case critical
    case must
    case should
    case advice
    case never

    /// The level; nil for never.
    var level: ValidationRule.Level? { ValidationRule.Level(rawValue: rawValue) }
}

/// A share on the command line: a percentage, such as 10%.
struct ShareArgument: ExpressibleByArgument, Sendable {
    /// The share, above 0 and at most 1.
    let value: Double

    init?(argument: String) {
        guard argument.hasSuffix("%"), let percent = Double(argument.dropLast()), percent > 0, percent <= 100 else {
            return nil
        }
        value = percent / 100
    }
}
