import ArgumentParser
import Foundation

/// `keyway package`.
struct PackageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package",
        abstract: "Make HLS of films: encrypted for FairPlay and Clear Key, or clear.",
        discussion: """
            Each track of each input becomes a rendition, none is decoded. Options of an input stand behind commas: \
            dub.m4a,lang=de,role=dub; there are lang, name, role, group, policy (audio, SD, HD, UHD or clear) and tracks \
            (video+audio+subtitles). A comma of the path itself is written \\,.

            Keys: one for all by --key-id, --key and --iv or by --key-file, one for a class by --track-key, --dev, \
            which makes them and registers them with a development server, or --speke, which fetches them.

            --live and --event package what comes through a pipe, segment by segment; --rotate-keys changes keys.

            keyway package film.mp4 --out site --dev --admin-token @data/admin-token
            keyway package film.mp4 dub.m4a,lang=de --out site --key-file key.bin --key-uri skd://film --dry-run
            """
    )

    @Argument(help: .init("Films, sounds and subtitles, or - for standard input.", valueName: "input[,option=value]"))
    var inputs: [String] = []

    @OptionGroup var packaging: PackagingOptions
    @OptionGroup(title: "Encryption") var encryption: EncryptionOptions
    @OptionGroup(title: "New keys") var delivery: KeyDeliveryOptions
    @OptionGroup(title: "Keys from a key server") var speke: SPEKEOptions
    @OptionGroup(title: "Without an end, and keys that change") var stream: StreamOptions
    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !inputs.isEmpty || packaging.job != nil else { throw ValidationError("There is no input: name a film.") }
        guard packaging.out != nil || packaging.job != nil else {
            throw ValidationError("--out is needed: the folder of the presentation.")
        }
        guard KeyServerClient.url(delivery.server) != nil else {
            throw ValidationError("--server is an address such as http://127.0.0.1:8080.")
        }
    }

    func run() async throws {
        var settings = try packaging.job.map { try JobFile.read($0) } ?? PackagingSettings()
        settings.override(with: try PackagingSettings(inputs: inputs, packaging, encryption, delivery, stream))
        if delivery.policy != nil || delivery.adminToken != nil, !settings.isDev {
            throw CommandFailure.usage(
                "--policy and --admin-token are for new keys",
                next: "add --dev, or leave them out"
            )
        }
        settings.exchange = try PackagingSettings.Exchange(speke)
        var session = PackagingSession(settings: settings)
        session.isDryRun = packaging.isDryRun
        session.isJSON = output.json
        session.encoder = try SPEKEClient(speke)
        session.savedKeys = delivery.savedKeys
        session.policy = delivery.policy
        if settings.isDev, !packaging.isDryRun { session.server = try client() }
        try await session.run()
    }

    private func client() throws(CommandFailure) -> KeyServerClient {
        let token = delivery.adminToken ?? ProcessInfo.processInfo.environment["KEYWAY_ADMIN_TOKEN"]
        guard let token, !token.isEmpty else {
            throw .usage(
                "--dev registers keys, and the server wants its token for that",
                next: "give --admin-token @DATA/admin-token, where DATA is the server's data folder"
            )
        }
        return try KeyServerClient(server: delivery.server, token: token)
    }
}
