import ArgumentParser
import Foundation
import Packager
import ToolSupport

/// `keyway package`.
struct PackageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package",
        abstract: "Package media files as HLS and DASH: encrypted for FairPlay and Clear Key, or clear.",
        discussion: """
            Each track of each input becomes a rendition; nothing is transcoded. Options of an input follow its path, \
            separated by commas: dub.m4a,lang=de,role=dub. Write a comma in a path as \\,. The options of an input \
            are:

              lang=TAG       the language, a BCP 47 tag (default: that of the track)
              name=TEXT      the name shown to viewers (default: from the language)
              role=ROLE      main, alternate, commentary, dub, description,
                             enhanced-audio-intelligibility, caption, subtitle,
                             forced-subtitle, or easyreader (default: that of the track)
              group=ID       the rendition group, GROUP-ID (default: grouped by codec)
              policy=CLASS   the track class: audio, SD, HD, or UHD; or clear for tracks
                             that are not encrypted (default: see below)
              tracks=KINDS   video, audio, and subtitles, joined by + (default: all)

            The track class of a track selects its key and its output protection: audio, or for video by resolution SD \
            (up to 1024x576), HD (up to 1920x1080), or UHD. The input option policy= overrides the class; the option \
            --policy is the license policy on the key server.

            Keys: --key-id, --key, and --iv, or --key-file, set one key for all tracks; --track-key sets the key of \
            one track class; --dev generates keys and registers them with a development server; --speke requests them \
            from a key server.

            --live and --event package a stream from a pipe as it arrives; --rotate-keys changes its keys. With --live, an \
            input can also be a transport stream from the network: udp://ADDRESS:PORT or rtp://ADDRESS:PORT, where the \
            address is that of a multicast group (?interface=NAME), of this host, or empty for all of its IPv4 addresses.

              keyway package movie.mp4 --out site --dev --admin-token @data/admin-token
              keyway package movie.mp4 dub.m4a,lang=de --out site \\
                  --key-file key.bin --key-uri skd://movie --dry-run
            """
    )

    @Argument(
        help: .init(
            "Video, audio, and subtitle files, or - for standard input. Required unless --job is given.",
            valueName: "input[,option=value]"
        ),
        transform: PackagingValue.input
    )
    var inputs: [PackagingJob.Input] = []

    @OptionGroup var packaging: PackagingOptions
    @OptionGroup(title: "Encryption") var encryption: EncryptionOptions
    @OptionGroup(title: "Key signaling") var signals: KeySignalOptions
    @OptionGroup(title: "Generated keys") var delivery: KeyDeliveryOptions
    @OptionGroup(title: "Keys from a key server (SPEKE)") var speke: SPEKEOptions
    @OptionGroup(title: "Live streams and key rotation") var stream: StreamOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !inputs.isEmpty || packaging.job != nil else {
            throw ValidationError("No input is given: give a media file, or --job.")
        }
        guard packaging.out != nil || packaging.job != nil else {
            throw ValidationError("--out is required: the output folder of the presentation.")
        }
        try PolicyArgument.validate(delivery.policies)
        guard URLArgument(argument: delivery.server) != nil else {
            throw ValidationError("--server: expected a URL such as http://127.0.0.1:8080.")
        }
    }

    func run() async throws {
        var settings = try packaging.job.map { try JobFile.read($0.path) } ?? PackagingSettings()
        settings.override(with: try self.settings())
        if !delivery.policies.isEmpty || delivery.adminToken != nil, !settings.isDev {
            throw CommandFailure.usage(
                "--policy and --admin-token apply only to keys that --dev generates",
                next: "add --dev, or leave them out"
            )
        }
        settings.exchange = try PackagingSettings.Exchange(speke)
        var session = PackagingSession(settings: settings)
        session.isDryRun = packaging.isDryRun
        session.isJSON = output.json
        session.encoder = try SPEKEClient(speke)
        session.savedKeys = delivery.savedKeys
        session.givenPolicies = delivery.policies
        if settings.isDev, !packaging.isDryRun { session.server = try client() }
        try await session.run()
    }

    /// Returns the settings of the command line.
    func settings() throws(CommandFailure) -> PackagingSettings {
        try PackagingSettings(inputs: inputs, packaging, encryption, delivery, signals, stream)
    }

    private func client() throws(CommandFailure) -> KeyServerClient {
        let token = delivery.adminToken ?? ProcessInfo.processInfo.environment["KEYWAY_ADMIN_TOKEN"]
        guard let token, !token.isEmpty, let server = URLArgument(argument: delivery.server) else {
            throw .usage(
                "--dev registers keys, which requires the server's admin token",
                next: "give --admin-token @DATA/admin-token, where DATA is the server's data folder"
            )
        }
        return try KeyServerClient(server, token: SecretArgument(argument: token), option: "--admin-token")
    }
}
