import ArgumentParser
import FPSCrypto
import FileWriting
import Foundation
import ToolSupport
import VirtualDevice

/// `keyway device`: commands that use a virtual device.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Request keys and play streams with a virtual device that behaves like an Apple device.",
        subcommands: [DeviceRequestKeyCommand.self, DevicePlayCommand.self, DeviceWatchCommand.self]
    )
}

/// `keyway device request-key`.
struct DeviceRequestKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-key",
        abstract: "Request a key from a key server, and verify the response.",
        discussion: """
            The device fetches the certificate (GET /fps/certificate), creates an SPC for it, sends the SPC (POST \
            /fps/license), and opens the CKC, as strictly as the guide allows. The server must derive the same DASk as \
            the device: use the server's development credentials.

            Each run is a new device, which counts against the limits of devices and streams of the token's account.

            Options change the content of the SPC. An SPC that requests no key (--sync, --playback-state halted) is \
            only sent, and the response is printed.
            """
    )

    @Option(help: .init("The URL of the key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: URLArgument

    @Option(help: .init("The asset ID: text, or hexadecimal after 0x; 2 to 200 bytes.", valueName: "asset-id"))
    var asset: AssetIDArgument

    @OptionGroup var device: DeviceOptions
    @OptionGroup(title: "Content of the SPC") var request: DeviceRequestOptions

    @Option(help: .init("The playback token that the server requires. (default: no token)", valueName: "text|@file"))
    var token: SecretArgument?

    @Flag(help: "Request a persistent key, and load it on the device. The key is not written to a file.")
    var persistable = false

    @Flag(name: .customLong("show-messages"), help: "Print the SPC and the CKC, field by field.")
    var showsMessages = false

    @Option(
        help: .init(
            "The file for copies of both messages, without its extension: FILE.spc and FILE.ckc. The SPC is written "
                + "before it is sent. The X-Request-Id and the Date of the response are printed too. (default: none)",
            valueName: "file"
        )
    )
    var save: OutputPath?

    @OptionGroup var report: ReportOptions

    func validate() throws {
        if persistable, request.requestsNoKey {
            throw ValidationError("--persistable cannot be combined with an SPC that requests no key.")
        }
        if save?.path == "-" { throw ValidationError("--save: expected a file, because two are written") }
    }

    func run() async throws {
        let client = try KeyServerClient(server, token: token)
        let device = try device.device(for: request)
        let options = try request.requestOptions()
        let certificate = try await client.certificate()
        let made: KeyRequest
        do {
            made = try device.makeSPC(
                certificate: certificate.der,
                assetID: asset.bytes,
                versions: self.device.versions.values,
                options: options
            )
        } catch {
            throw CommandFailure(refusal: error, of: "create an SPC")
        }
        if let save { try OutputFile.write(made.spc, to: "\(save.path).spc") }
        let exchange = DeviceExchange(device: device, certificate: certificate, request: made)
        var report = exchange.report(server: server.description, showsMessages: showsMessages)
        guard !request.requestsNoKey else {
            let response = try await client.report(spc: made.spc)
            report.tables.append(DeviceExchange.table(status: response.status, body: response.body))
            return try self.report.print(report)
        }
        let response = try await client.license(spc: made.spc, persistable: persistable)
        if let save { try OutputFile.write(response.ckc, to: "\(save.path).ckc") }
        exchange.add(response, to: &report, showsMessages: showsMessages, showsOrigin: save != nil)
        do {
            report.tables.append(try exchange.openKey(response, persistable: persistable))
        } catch {
            report.problem = .init(
                stage: "device",
                code: error.name,
                reason: "the device rejects the CKC: \(error)",
                next: error.code.map { "keyway explain \($0)" }
            )
        }
        try self.report.print(report)
    }
}
