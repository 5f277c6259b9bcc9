import ArgumentParser
import ContentKeySession
import FPSCrypto
import Foundation
import HLSPlaylist
import MediaDecryption
import Packager
import SampleEncryption
import ToolSupport
import VirtualDevice

/// `keyway device play`.
struct DevicePlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Request the keys of a presentation with a virtual device, and decrypt the presentation.",
        discussion: """
            The device reads the playlists, requests the key for each FairPlay URI in them (the asset ID is the text \
            after skd://) with the protocol versions of its tag (KEYFORMATVERSIONS), opens the CKCs, and writes the decrypted presentation, as a player passes it to its \
            decoder. If the device rejects a key, or a key has expired, the command fails. Keys are not printed.

            The first segment of each playlist is opened first. If its frames show that the key of the server is not that \
            of the media, the command fails with key-wrong, and writes nothing. Some codecs show no error.

            The playlist must be a local file. Download a presentation from the web before playing it.

            Use this command to test keys, policies, and devices: it requests all keys at the start, and decrypts \
            every rendition. To test playback as in an app, use keyway play: it reads URLs, selects variants and \
            languages, preloads and renews keys, and plays live streams.
            """
    )

    @Argument(help: .init("The path of a Multivariant or Media Playlist.", valueName: "playlist"))
    var playlist: InputPath

    @Option(help: .init("The URL of the key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: URLArgument

    @Option(help: .init("The folder for the clear presentation.", valueName: "folder"))
    var out: OutputPath

    @OptionGroup var device: DeviceOptions

    @Option(help: .init("The playback token that the server requires. (default: no token)", valueName: "text|@file"))
    var token: SecretArgument?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !playlist.path.contains("://"), playlist.path != "-" else {
            throw ValidationError("The playlist must be a file: download the presentation with all its files first.")
        }
    }

    func run() async throws {
        let tags = try media { try PresentationDecryptor.fairPlayKeys(playlist.path) }
        guard !tags.isEmpty else {
            throw CommandFailure.input("\(playlist) has no FairPlay key", next: "play it without a device")
        }
        let client = try KeyServerClient(server, token: token)
        let device = try device.device()
        let certificate = try await client.certificate()
        var keys = DecryptionKeys()
        var playing: [DeviceKey] = []
        var keyTable = FieldTable(title: "Keys", remark: "as used by the device", fields: [])
        for (uri, versions) in tags {
            let key = try await key(for: uri, versions, device, client, certificate)
            let content = try Self.content(of: key, uri)
            keyTable.fields.append(Field(uri, .bytes(Report.fingerprint(of: content.key))))
            let iv = try? CipherIV(content.iv)
            keys.uris[uri] = DecryptionKey(key: content.key, iv: iv)
            playing.append(key)
        }
        if let failure = await PlayedKeyCheck(keys: keys.uris).failure(path: playlist.path) { throw failure }
        var progress = ProgressLine()
        defer { progress.clear() }
        let report = try media {
            try PresentationDecryptor(keys: keys).decrypt(playlist.path, to: out.path) { name, number, count in
                progress.show("\(number) of \(count)  \(name)")
            }
        }
        // A lease that expired in the meantime has stopped playback.
        for (tag, key) in zip(tags, playing) { _ = try Self.content(of: key, tag.uri) }
        progress.clear()
        var shown = Report(
            kind: "playback",
            headline: "A virtual \(device.profile.name) plays \(escaped(playlist.path)) into \(escaped(out.path))"
        )
        let tracks = report.playlists.flatMap(\.tracks)
        shown.tables = [
            keyTable,
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

    /// Requests the key for a URI, and starts playback with it on the device.
    ///
    /// - Parameter versions: The protocol versions that the playlist declares for the key.
    private func key(
        for uri: String,
        _ versions: [UInt32],
        _ device: FPSDevice,
        _ client: KeyServerClient,
        _ certificate: X509Certificate
    ) async throws -> DeviceKey {
        guard let assetID = Self.assetID(of: uri) else {
            throw CommandFailure.input(
                "the key URI \(KeyLabel(uri)): expected skd:// and an asset ID of 2 to 200 bytes"
            )
        }
        let request: KeyRequest
        do {
            request = try device.makeSPC(
                certificate: certificate.der,
                assetID: assetID,
                versions: self.device.givenVersions?.values ?? versions
            )
        } catch {
            throw CommandFailure(refusal: error, of: "create an SPC for \(uri)")
        }
        let response = try await client.license(spc: request.spc, persistable: false)
        do {
            let key = try device.process(ckc: response.ckc, for: request)
            try key.startPlaying()
            return key
        } catch {
            throw CommandFailure(refusal: error, of: "open the CKC for \(uri)")
        }
    }

    /// Returns the asset ID of a key URI: the text after `skd://`, as for `keyway play`, or the bytes whose hexadecimal
    /// digits follow `0x`; nil if it does not have 2 to 200 bytes. A URI with another scheme is the asset ID itself.
    static func assetID(of uri: String) -> [UInt8]? {
        if uri.hasPrefix("skd://0x"), let bytes = AssetIDArgument(argument: String(uri.dropFirst(6)))?.bytes {
            return (2...200).contains(bytes.count) ? bytes : nil
        }
        let policy: KeyURIPolicy = URIReference.scheme(of: uri) == "skd" ? .afterScheme : .wholeURI
        return policy.identity(of: uri)?.contentIdentifier
    }

    /// The content key and IV of a device key; throws if the key has expired or must not be used.
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
            throw CommandFailure.media(error, path: playlist.path)
        }
    }
}
