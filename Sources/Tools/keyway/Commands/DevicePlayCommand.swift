import ArgumentParser
import FPSCrypto
import Foundation
import MediaDecryption
import Packager
import SampleEncryption
import VirtualDevice

/// `keyway device play`.
struct DevicePlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Have a virtual device get the keys of a presentation, and decrypt it with them.",
        discussion: """
            The device reads the playlists, asks the key server for the key of each FairPlay URI that they name \
            (what follows skd:// is the asset ID), opens the CKCs and writes the presentation in clear, as a player \
            hands it to its decoder. A key is used as long as it may be: one that is refused, or has expired, ends \
            this with an error. Keys are not shown.

            Playlists are files; what is on the web has to be downloaded first.
            """
    )

    @Argument(help: .init("A Multivariant or Media Playlist.", valueName: "playlist"))
    var playlist: String

    @Option(help: .init("The key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String

    @Option(help: .init("The folder for the clear presentation.", valueName: "dir"), transform: OutputPath.parse)
    var out: String

    @OptionGroup var device: DeviceOptions

    @Option(help: .init("The token that the server wants.", valueName: "text|@file"))
    var token: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard KeyServerClient.url(server) != nil else {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
        guard !playlist.contains("://"), playlist != "-" else {
            throw ValidationError("The playlist is a file: download the presentation first, with all that it names.")
        }
    }

    func run() async throws {
        let uris = try media { try PresentationDecryptor.fairPlayKeyURIs(playlist) }
        guard !uris.isEmpty else {
            throw CommandFailure.input("\(playlist) has no FairPlay key", next: "nothing in it needs a device")
        }
        let client = try KeyServerClient(server: server, token: token)
        let device = try device.device()
        let certificate = try await client.certificate()
        var keys = DecryptionKeys()
        var playing: [DeviceKey] = []
        var answers = FieldTable(title: "Keys", remark: "as the device plays with them", fields: [])
        for uri in uris {
            let key = try await key(for: uri, device, client, certificate)
            let content = try Self.content(of: key, uri)
            answers.fields.append(Field(uri, .bytes(Report.fingerprint(of: content.key))))
            let iv = try? CipherIV(content.iv)
            keys.uris[uri] = DecryptionKey(key: content.key, iv: iv)
            playing.append(key)
        }
        var progress = ProgressLine()
        defer { progress.clear() }
        let report = try media {
            try PresentationDecryptor(keys: keys).decrypt(playlist, to: out) { name, number, count in
                progress.show("\(number) of \(count)  \(name)")
            }
        }
        // A lease that ran out meanwhile has stopped playback.
        for (uri, key) in zip(uris, playing) { _ = try Self.content(of: key, uri) }
        progress.clear()
        var shown = Report(
            kind: "playback",
            headline: "A virtual \(device.profile.name) plays \(escaped(playlist)) into \(escaped(out))"
        )
        let tracks = report.playlists.flatMap(\.tracks)
        shown.tables = [
            answers,
            FieldTable(
                title: "Played",
                fields: [
                    Field("files", .number(report.files)),
                    Field("samples or segments decrypted", .number(tracks.reduce(0) { $0 + $1.decrypted })),
                    Field("clear", .number(tracks.reduce(0) { $0 + $1.clear })),
                ]
            ),
        ]
        try ReportOptions.print(shown, json: output.json)
    }

    /// Asks for the key of a URI, and has the device play with it.
    private func key(
        for uri: String,
        _ device: FPSDevice,
        _ client: KeyServerClient,
        _ certificate: X509Certificate
    ) async throws -> DeviceKey {
        let asset = uri.hasPrefix("skd://") ? String(uri.dropFirst(6)) : uri
        let assetID = try HexArgument.assetID(asset, option: "the key URI \(uri)")
        let request: KeyRequest
        do {
            request = try device.makeSPC(certificate: certificate.der, assetID: assetID, versions: self.device.versions)
        } catch {
            throw CommandFailure(refusal: error, of: "make an SPC for \(uri)")
        }
        let answer = try await client.license(spc: request.spc, persistable: false)
        do {
            let key = try device.process(ckc: answer.ckc, for: request)
            try key.startPlaying()
            return key
        } catch {
            throw CommandFailure(refusal: error, of: "open the CKC for \(uri)")
        }
    }

    /// The key as long as it may be used.
    private static func content(of key: DeviceKey, _ uri: String) throws -> (key: SecretBytes, iv: [UInt8]) {
        do {
            return try key.contentKey()
        } catch {
            throw CommandFailure(refusal: error, of: "play with the key of \(uri)")
        }
    }

    private func media<R>(_ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch {
            throw CommandFailure.media(error, path: playlist)
        }
    }
}
