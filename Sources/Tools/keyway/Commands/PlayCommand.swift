import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import Foundation
import HLSPlaylist
import HTTPTransport
import StreamPlayer
import ToolSupport
import VirtualDevice

/// `keyway play`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play an encrypted stream: acquire its keys as an app does, decrypt it, and write the clear media.",
        discussion: """
            Playlists and segments are read from a web server or from files. A virtual device requests the keys from a \
            key server, with Keyway's client library: a content key session, and a key loader, which preloads, renews, \
            and retries keys. The output has the format of the segments, fragmented MP4 or transport stream, and is \
            written to a file, a folder, or a pipe:

              keyway play URL --server http://127.0.0.1:8080 \\
                  --credentials dev --out - | ffplay -
              keyway play URL --server http://127.0.0.1:8080 \\
                  --credentials dev --out clear/
              keyway play URL --out clear.mp4

            A file or a pipe contains all tracks in one stream. Separate MP4 tracks are combined; presentations with \
            separate transport stream or packed audio tracks require a folder.

            Without --out, everything is decrypted and discarded, which tests whether a stream plays. Without \
            --server, only clear media and media with clear keys (METHOD=AES-128, SAMPLE-AES with KEYFORMAT identity) \
            can be played. A live stream is played until the media of --duration has been played, or until \
            Control-C.

            With --profile, only variants are chosen that such a device can play: by their codecs, ALLOWED-CPC, \
            HDCP-LEVEL, video range, and resolution. Without it, any variant can be chosen.

            Whether the keys of the server are those of the media is not checked: with a wrong key, the decrypted media \
            are damaged, and the exit code is 0. To check this, use keyway doctor.

            Use this command to test playback as in an app. To test keys, policies, and devices with a presentation in \
            local files, use keyway device play, which decrypts all of its renditions.
            """
    )

    @Argument(help: .init("The URL or path of a Multivariant or Media Playlist.", valueName: "url|file"))
    var playlist: StreamArgument

    @Option(
        help: .init(
            "The URL of the key server, such as http://127.0.0.1:8080; it requires one of "
                + "--credentials, --ask, and --dask. (default: no FairPlay keys)",
            valueName: "url"
        )
    )
    var server: URLArgument?

    @Option(
        help: .init(
            "A folder (an existing one, or a name that ends with /), a file, or - for standard "
                + "output. (default: the media is discarded)",
            valueName: "file|folder"
        )
    )
    var out: OutputPath?

    @OptionGroup var device: PlayDeviceOptions

    @Option(
        help: .init("The playback token that the key server requires. (default: no token)", valueName: "text|@file")
    )
    var token: SecretArgument?

    @Option(
        help: .init(
            "Stop after this much media. (default: the whole stream; for live streams, "
                + "until Control-C)",
            valueName: "duration"
        )
    )
    var duration: DurationArgument?

    @Option(
        help: .init("The maximum bandwidth of variants, in bits per second. (default: no limit)", valueName: "number")
    )
    var maxBandwidth: UInt64?

    @Option(
        help: .init(
            "The maximum resolution of variants, such as 1280x720. (default: no limit)",
            valueName: "resolution"
        )
    )
    var maxResolution: ResolutionArgument?

    @Option(
        help: .init(
            "Preferred languages, most preferred first, separated by commas; also renditions without AUTOSELECT are "
                + "chosen. (default: the default renditions of the stream)",
            valueName: "list"
        )
    )
    var languages: CommaList<String>?

    @Flag(help: "Load media at playback speed, at most 30 seconds ahead.")
    var realTime = false

    @Flag(help: "Play whole segments, not the Partial Segments of low-latency playlists.")
    var noParts = false

    @Flag(help: "Request keys only when they are needed, without preloading.")
    var noPreload = false

    @Flag(help: "Request each key separately, for key servers that do not support batch requests.")
    var noBatch = false

    @Flag(
        help: .init(
            "Keep the variant that playback starts with, without adaptive switching. It is selected "
                + "by --max-bandwidth and --max-resolution."
        )
    )
    var noSwitching = false

    @Flag(help: "Do not print a line for each segment.")
    var quiet = false

    @OptionGroup(title: "Requests") var web: WebOptions

    @OptionGroup var saved: SavedPlaylistOptions

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard server == nil || device.isGiven else {
            throw ValidationError("--server requires one of --credentials, --ask, and --dask.")
        }
        guard duration.map({ $0.value > .zero }) ?? true else {
            throw ValidationError("--duration: expected a duration above 0s.")
        }
        guard saved.url == nil || URLArgument.url(playlist.text) == nil else {
            throw ValidationError("--url applies only to a file, and the playlist is a URL.")
        }
    }

    func run() async throws {
        try playlist.requireFile()
        let printer = PlaybackEventPrinter(isQuiet: quiet || output.json, languages: languages?.elements ?? [])
        let client = try web.client(for: [URLArgument.url(playlist.text), saved.url?.url].compactMap { $0 })
        let media = try PlayOutput(out?.path)
        let keys = try await PlayKeys(
            server: server,
            device: device,
            token: token,
            usesBatches: !noBatch,
            transport: HTTPClientTransport(client.withoutRedirects)
        )
        var loader: any MediaLoader = HTTPMediaLoader(client)
        var url = playlist.url
        if let savedFrom = saved.url?.url.withoutUserInformation.absoluteString {
            loader = SavedPlaylistLoader(url: savedFrom, file: url, web: loader)
            url = savedFrom
        }
        let player = Player(settings: settings(media), keys: keys.systems, loader: loader) { event in
            if case .loadedMultivariant(let playlist) = event, !noPreload { await keys.preload(playlist) }
            await printer.print(event)
        }
        let report: PlaybackReport
        do {
            report = try await keys.whileAnswering { [url] in try await player.play(url, to: media.output) }
        } catch let error as PlayerError {
            let failure = await keys.lastFailure
            let what = error.text(failure)
            let keyAdvice = failure.map { what.contains("\($0)") ? $0.advice : "\($0): \($0.advice)" }
            let advice =
                await printer.rejections(after: error, profile: device.chosenProfile) ?? keyAdvice ?? error.advice
            throw CommandFailure(kind: error.exitKind, what: what, next: advice)
        }
        let shown = await printer.report(report, playlist: playlist.name, to: media.name, keys: keys)
        // Standard output may carry the media, so the report is then written to standard error.
        try ReportOptions.print(shown, json: output.json, toStandardError: media.isStandardOutput)
    }

    private func settings(_ media: PlayOutput) -> PlayerSettings {
        var settings = PlayerSettings()
        if let profile = device.chosenProfile { settings.abilities = PlayerCapabilities(of: profile.value) }
        settings.abilities.bandwidthCap = maxBandwidth
        if let maxResolution { settings.abilities.displaySize = maxResolution.value }
        if let languages {
            settings.preferences.languages = languages.elements
            settings.preferences.isUserChoice = true
        }
        settings.variables = saved.values
        settings.maximumDuration = duration?.seconds
        settings.isAdaptive = !noSwitching
        settings.usesParts = !noParts
        settings.date = { PlaylistDate(timeIntervalSince1970: Date().timeIntervalSince1970) }
        settings.loadsSubtitles = media.isFolder
        if realTime { settings.pace = .realTime(ahead: .seconds(30)) }
        return settings
    }
}

/// The URL or path of a stream on the command line.
struct StreamArgument: ExpressibleByArgument, Sendable {
    /// The text as given.
    let text: String

    init(argument: String) { text = argument }

    /// The text in messages, without the user name and password of a URL.
    var name: String { URLArgument.url(text)?.withoutUserInformation.absoluteString ?? text }

    /// The URL; for a path, a `file:` URL.
    var url: String { text.contains("://") ? text : URL(fileURLWithPath: text).absoluteString }

    /// Requires that a path leads to a file, so that a misspelled path fails before anything else happens.
    func requireFile() throws(CommandFailure) {
        guard !text.contains("://") else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: text, isDirectory: &isFolder) else {
            throw .file(
                "cannot read \(escaped(text)): the file does not exist",
                next: "give the path or URL of a playlist"
            )
        }
        guard !isFolder.boolValue else {
            throw .file("cannot read \(escaped(text)): it is a folder", next: "give the path of a playlist in it")
        }
    }

    static var defaultCompletionKind: CompletionKind { .file() }
}

extension PlayerError {
    /// Returns the description. The failure of a request that the key loader made is the cause itself; the session only
    /// knows that it got no key.
    fileprivate func text(_ failure: KeyFailure?) -> String {
        guard case .key(let error) = cause, error.code == .noResponse, let failure else { return description }
        return "\(place): \(failure)"
    }

    /// The advice on an error of the connection or the server; nil if the message contains all that is known.
    fileprivate var advice: String? {
        guard case .load(let error) = cause else { return nil }
        return switch error.code {
        case .untrusted: "give the authority with --ca-file or SSL_CERT_FILE, or --client-certificate and --client-key"
        case .status where error.status == 401: "give --user, or a token with --header"
        case .status where error.status == 407: "give the proxy with its password: --proxy"
        case .redirects: "give the URL that the last redirect should lead to"
        default: nil
        }
    }

    fileprivate var exitKind: CommandFailure.Kind {
        switch cause {
        case .load, .output: .file
        case .playlist, .notMedia, .nothingPlayable, .nothingPlayed, .noKeySystem, .key, .media, .live: .input
        }
    }
}
