import ArgumentParser
import ContentKeySession
import Dispatch
import Foundation
import HTTPTransport
import OfflineAssets
import StreamPlayer
import TextCoding
import ToolSupport

/// `keyway download`.
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download a stream for offline playback.",
        discussion: """
            By default, the best variant is downloaded, with the renditions that a player would choose for it:

              keyway download URL --out Movies/movie-7 \\
                  --server http://127.0.0.1:8080 --credentials dev
              keyway download URL --out Movies/movie-7
              keyway download URL --out Movies/movie-7 --no-keys \\
                  --variant 1280x720 --variant 640x360 --languages en,de
              keyway download URL --out Movies/movie-7 --no-keys --all

            FairPlay keys are requested from --server; clear keys (AES-128, KEYFORMAT identity) are loaded from the \
            URLs in the playlists. Both are stored encrypted, next to the download.

            A stream whose playlists have no EXT-X-ENDLIST is live. --record records this duration of it, from the live \
            edge on; --assume-ended downloads the segments that are in its playlists now, as if they were all. If \
            something could not be recorded, the command reports it and exits with 1. After an interruption, the same \
            command continues the recording.

            With --allow-missing, segments that the server does not have, or returns in a form that is not media, do \
            not stop the download. They are reported at its end, and marked with EXT-X-GAP.

            --remux writes the downloaded variant and its default renditions also to one file, decrypted: MP4 if the \
            tracks are MP4, otherwise a transport stream. This is a playback, which starts the playback period of a \
            rental.

            Give --variant once for each variant, with its limits separated by commas: 1280x720 (maximum resolution), \
            3000000 (maximum bits per second), hvc1 (a prefix of the codec). The best variant within the limits is \
            downloaded. The values best and all cannot be combined with limits in the same option, and all excludes \
            other --variant options.

            The same command resumes a download that was interrupted by Control-C, an error, or a crash, and verifies \
            and repairs one that is complete. If the URL is signed and its signature has expired, give the same URL \
            with a new signature.

            With --evict, a full disk does not stop the download: other downloads in the same folder are deleted \
            one by one, in the order of keyway offline evict, except those that are in use or have the priority \
            important.

            Exit codes:
              0  the download is complete (with --no-keys: all media is)
              1  the stream or the selection cannot be downloaded, is not media, or its keys were refused; or
                 media is missing in a recording
              2  the command line is invalid
              3  the network or the disk failed, or the download was interrupted: the same
                 command resumes it
            """
    )

    @Argument(help: .init("The URL of a Multivariant or Media Playlist of a VOD stream.", valueName: "url"))
    var playlist: URLArgument

    @Option(
        help: .init("The folder of the download; created if it does not exist.", valueName: "folder")
    )
    var out: OutputPath

    @Option(help: .init("The title of the download. (default: the name of the folder)", valueName: "name"))
    var title: String?

    @OptionGroup(title: "Selection") var choice: DownloadSelectionOptions

    @OptionGroup(title: "Key server and key storage") var keys: OfflineKeyOptions

    @Flag(help: "Download media without keys.")
    var noKeys = false

    @Flag(help: "Download a stream without EXT-X-ENDLIST as if its playlists were complete.")
    var assumeEnded = false

    @Option(help: .init("Record this duration of a live stream, such as 90s or 10m.", valueName: "duration"))
    var record: DurationArgument?

    @Flag(help: "Continue without segments that the server does not have.")
    var allowMissing = false

    @Option(help: .init("Write the decrypted download also to this file.", valueName: "file"))
    var remux: OutputPath?

    @Option(help: .init("The number of concurrent downloads of files, 1 to 64.", valueName: "number"))
    var parallel = 4

    @Option(
        help: .init(
            "The number of concurrent downloads from one host, 1 to 64. (default: same as --parallel)",
            valueName: "number"
        )
    )
    var perHost: Int?

    @Option(help: .init("The timeout for connections that receive no data.", valueName: "duration"))
    var timeout = DurationArgument.seconds(30)

    @Flag(help: "If the disk is full, delete other downloads in the same folder, but never important ones.")
    var evict = false

    @Flag(help: "Print no progress.")
    var quiet = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (1...64).contains(parallel), (1...64).contains(perHost ?? 1) else {
            throw ValidationError("--parallel and --per-host: expected 1 to 64.")
        }
        try timeout.require(.seconds(1) ... .seconds(3600), option: "--timeout")
        guard !out.path.isEmpty else { throw ValidationError("--out: expected a folder.") }
        try record?.require(.seconds(1) ... .seconds(7 * 86_400), option: "--record")
        guard record == nil || !assumeEnded else {
            throw ValidationError("--record cannot be combined with --assume-ended.")
        }
        guard remux?.path != "-" else { throw ValidationError("--remux: expected a file.") }
        _ = try choice.selection()
    }

    func run() async throws {
        try checkTitle()
        let selection = try choice.selection()
        let client = try keys.web.client(for: [playlist.url])
        var notes: [String] = []
        while true {
            do {
                let (bundle, received) = try await download(selection, client)
                var report = Report(bundle: bundle, received: received)
                report.notes += notes
                if let remux { report.notes.append(try await write(bundle, to: remux.path)) }
                try ReportOptions.print(report, json: output.json)
                guard bundle.description.recordingDuration == nil || bundle.description.missing.isEmpty else {
                    throw ExitCode(1)
                }
                return
            } catch let error as DownloadError {
                guard error.code == .diskFull, evict, let removalNotes = try await freeSpace() else {
                    throw CommandFailure(error)
                }
                notes += removalNotes
            }
        }
    }

    /// Starts or resumes the download.
    private func download(
        _ selection: BundleSelection,
        _ client: WebClient
    ) async throws(DownloadError) -> (AssetBundle, received: UInt64) {
        var settings = DownloadSettings()
        settings.parallel = parallel
        settings.parallelPerHost = perHost ?? parallel
        settings.idleTimeout = timeout.value
        settings.headTimeout = timeout.value
        settings.allowsMissingSegments = allowMissing
        var request = AssetDownload.Request(
            url: playlist.url.absoluteString,
            folder: out.path,
            title: title,
            selection: selection
        )
        request.assumesEnd = assumeEnded
        request.recordingDuration = record?.value
        let download = AssetDownload(
            request,
            settings: settings,
            keys: noKeys ? nil : downloadKeys(client),
            transport: HTTPDownloadTransport(client)
        )
        let printing = Task { [quiet, output] in
            var printer = DownloadProgressPrinter(isQuiet: quiet || output.json)
            for await event in download.events { printer.print(event) }
            return printer.finish()
        }
        let signals = TerminationSignals { Task { await download.cancel() } }
        defer { signals.end() }
        do throws(DownloadError) {
            let bundle = try await download.run()
            return (bundle, await printing.value)
        } catch {
            _ = await printing.value
            throw error
        }
    }

    /// Writes the decrypted media of a download to one file. Returns a note about it.
    private func write(_ bundle: AssetBundle, to path: String) async throws -> String {
        do {
            let output = try BundleRemux.output(path)
            guard !bundle.description.keys.isEmpty else {
                return try await BundleRemux.write(bundle, keys: PlayerKeySystems(), to: output, path)
            }
            let title = bundle.description.title
            let playback = try keys.keys(try OfflineStorage(library: library, keys.storage))
                .playback(of: title, .storedOnly)
            return try await playback.whileAnswering {
                try await BundleRemux.write(bundle, keys: playback.systems, to: output, path)
            }
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    /// Deletes the next download to evict, and returns notes about it; returns nil if no download may be deleted.
    private func freeSpace() async throws -> [String]? {
        do {
            let own = (try? AssetBundle.open(folder.path))?.description.title ?? title ?? folder.lastPathComponent
            let storage = try OfflineStorage(library: library, keys.storage)
            let eviction = LibraryEviction(storage: storage, keys: keys) { candidate in
                candidate.title == own || candidate.policy.priority == .important
            }
            let result = try await eviction.carryOut(toFree: 1)
            guard let deleted = result.plan.evictions.first else { return nil }
            let note =
                "the disk was full: \(escaped(deleted.title)) was deleted, "
                + "\(counted(deleted.size, "byte")); \(deleted.reason.explanation)"
            if !quiet, !output.json { Terminal.writeError(note) }
            return [note] + result.notes
        } catch {
            throw CommandFailure.offline(error)
        }
    }

    /// Returns the key provider of the download. Keys are stored next to it. Without a key server, only clear keys are
    /// available, from the URLs in the playlists.
    private func downloadKeys(_ client: WebClient) -> any DownloadKeys {
        StoredDownloadKeys { [keys, library] in
            try keys.keys(try OfflineStorage(library: library, keys.storage), client: client)
        }
    }

    private var folder: URL { URL(fileURLWithPath: out.path).standardizedFileURL }
    /// The folder that contains the download.
    private var library: String { folder.deletingLastPathComponent().path }

    /// Requires a unique title, because keys are stored and deleted by title.
    private func checkTitle() throws {
        // A download to resume already has its title.
        guard !FileManager.default.fileExists(atPath: folder.path + "/bundle.json") else { return }
        let name = title ?? folder.lastPathComponent
        let others = ((try? BundleLibrary(library).bundles()) ?? []).filter { $0.folder != folder.path }
        guard let other = others.first(where: { (try? $0.summary.get())?.title == name }) else { return }
        throw CommandFailure.input("\(other.folder) already has the title \(name)", next: "give another --title")
    }
}

/// The keys of a download, stored next to it. Clear media does not require keys, so no storage is created for it.
struct StoredDownloadKeys: DownloadKeys {
    /// Opens the key storage.
    let open: @Sendable () throws -> OfflineKeys

    func acquire(_ keys: [[DownloadKey]], title: String) async throws(DownloadKeysError) {
        try await storage(title).acquire(keys, title: title)
    }

    func verify(_ bundle: AssetBundle) async throws(DownloadKeysError) {
        guard bundle.description.keys.isEmpty else {
            return try await storage(bundle.description.title).verify(bundle)
        }
        do throws(PlayerError) {
            try await OfflinePlaybackCheck.play(bundle, keys: PlayerKeySystems())
        } catch {
            throw DownloadKeysError(code: error.code, place: error.place, reason: "playback does not start: \(error)")
        }
    }

    private func storage(_ title: String) throws(DownloadKeysError) -> OfflineKeys {
        do {
            return try open()
        } catch {
            throw DownloadKeysError(code: "storage", place: title, reason: "\(error)")
        }
    }
}

extension CommandFailure {
    /// Creates a failure for a download that cannot start or was interrupted.
    init(_ error: DownloadError) {
        let (kind, next): (Kind, String?) =
            switch error.code {
            case .load where error.isRefusedAddress:
                (.file, "if the URL is signed, give the same URL with a new signature to resume")
            case .load, .storage, .diskFull, .cancelled, .busy: (.file, "run the same command again to resume")
            case .damaged: (.file, "run the same command again to download the damaged parts again")
            case .live:
                (
                    .input,
                    "to download what is in the playlist now, give --assume-ended; to record the live stream, --record 10m"
                )
            case .notMedia: (.input, "to continue without such segments, give --allow-missing")
            case .playlist, .limit, .keys, .noVariant, .noRendition, .noRanges, .changedOnServer, .otherBundle:
                (.input, nil)
            }
        self.init(kind: kind, what: "\(error)", next: next)
    }
}
