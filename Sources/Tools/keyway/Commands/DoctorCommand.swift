import ArgumentParser
import Foundation
import HLSPlaylist
import ToolSupport
import VirtualDevice

/// `keyway doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why a presentation does not play: check each step from the playlist to decrypted media.",
        discussion: """
            All that a playback depends on is checked in its order: the playlist and its delivery, the EXT-X-KEY tags, \
            the variants that devices choose, the key server with its clock and its certificate, the token, the key \
            request of a virtual device for each device class, the license, what it requires, and the first segment of \
            each playlist, decrypted. Each step has a mark: ok, warning, FAILED, or skipped, because it depends on a \
            step that failed. What is wrong first, and what to do, is printed at the end.

              keyway doctor URL --server http://127.0.0.1:8080 --credentials dev
              keyway doctor URL --server http://127.0.0.1:8080 --credentials dev --device-class apple-tv --json
              keyway doctor URL

            Without --server, only the playlist, its delivery, and its segments are checked. No option makes this \
            command print a key, a token, or the query of a URL. docs/doctor.md describes the steps and the JSON.

            Exit codes: 0 no step failed, 1 a step failed, 2 the command line is wrong, 3 the first failure is a file \
            that cannot be read or a connection that fails.
            """
    )

    @Argument(
        help: .init("The path or URL of a Multivariant or Media Playlist.", valueName: "url|file"),
        completion: .file(),
        transform: PlaylistInput.init(argument:)
    )
    var playlist: PlaylistInput

    @Option(
        help: .init(
            "The URL of the key server; it requires one of --credentials, --ask, and --dask. (default: no keys are "
                + "requested)",
            valueName: "url"
        )
    )
    var server: URLArgument?

    @Option(
        help: .init("The playback token that the key server requires. (default: no token)", valueName: "text|@file")
    )
    var token: SecretArgument?

    @OptionGroup var source: DASkOptions

    @Option(
        name: .customLong("device-class"),
        help: .init(
            "Request the keys as this device. Repeatable. A license that is refused to a class given here is a "
                + "failure; without the option, it is a failure only if no class gets one. (default: "
                + "\(Self.standardClasses.map(\.name).joined(separator: ", ")))",
            valueName: "name"
        )
    )
    var deviceClasses: [ProfileArgument] = []

    @Flag(help: "Also request persistent keys, because the presentation is for downloads.")
    var offline = false

    @Option(
        help: .init(
            "The origin of the web page that plays, such as https://www.example.com: check that the playlist and the "
                + "key server permit it (CORS). (default: none, because apps have no origin)",
            valueName: "origin"
        )
    )
    var origin: URLArgument?

    @Flag(
        name: .customLong("no-decoder"),
        help: "Do not check decrypted pictures and AAC with ffmpeg, even if it is installed."
    )
    var usesNoDecoder = false

    @OptionGroup(title: "Requests") var web: WebOptions
    @OptionGroup var output: JSONOption

    /// The device classes without --device-class: those that differ most in what they play.
    static let standardClasses: [DeviceProfile] = [.iPhone, .appleTV, .mac, .appleWatch]

    func validate() throws {
        guard !playlist.isStandardInput else {
            throw ValidationError("Standard input cannot be checked, because its segments have no location.")
        }
        guard source.count <= 1 else {
            throw ValidationError("--credentials, --ask, and --dask cannot be combined: give only one of them.")
        }
        guard (server != nil) == (source.count == 1) else {
            throw ValidationError("--server and one of --credentials, --ask, and --dask require each other.")
        }
        guard server != nil || (token == nil && deviceClasses.isEmpty && !offline) else {
            throw ValidationError("--token, --device-class, and --offline require --server.")
        }
        if let url = origin?.url, !["", "/"].contains(url.path) || url.query != nil || url.user != nil {
            throw ValidationError(
                "--origin: expected a scheme, a host, and a port only, such as "
                    + "https://www.example.com."
            )
        }
    }

    func run() async throws {
        var loader = PlaylistLoader()
        loader.client = try web.client(for: [playlist.url].compactMap { $0 })
        var doctor = PlaybackDoctor(
            input: playlist,
            resources: StreamResources(root: playlist.location, loader: loader, allowsPrivateHosts: false),
            client: loader.client
        )
        doctor.origin = origin?.base
        doctor.decoder = usesNoDecoder ? nil : FFmpegDecoder.installed
        if let server {
            var target = DoctorTarget(
                client: try KeyServerClient(server, token: token),
                dask: try source.rule(),
                profiles: deviceClasses.isEmpty ? Self.standardClasses : deviceClasses.map(\.value)
            )
            target.token = try token?.text(option: "--token")
            target.certificateFile = source.credentialsFolder.map { "\($0)/certificate.der" }
            (target.areClassesGiven, target.requestsPersistentKeys) = (!deviceClasses.isEmpty, offline)
            doctor.target = target
        }
        let diagnosis = await doctor.diagnosis()
        try output.print(diagnosis.json, text: { diagnosis.text(Terminal.style) })
        try diagnosis.requireSuccess()
    }
}
