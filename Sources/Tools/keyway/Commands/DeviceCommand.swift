import ArgumentParser
import FPSCrypto
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
            """
    )

    @Option(help: .init("The URL of the key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: URLArgument

    @Option(help: .init("The asset ID: text, or hexadecimal after 0x; 2 to 200 bytes.", valueName: "asset-id"))
    var asset: AssetIDArgument

    @OptionGroup var device: DeviceOptions

    @Option(help: .init("The playback token that the server requires. (default: no token)", valueName: "text|@file"))
    var token: SecretArgument?

    @Flag(help: "Request a persistent key, and load it on the device. The key is not written to a file.")
    var persistable = false

    @Flag(name: .customLong("show-messages"), help: "Print the SPC and the CKC, field by field.")
    var showsMessages = false

    @OptionGroup var report: ReportOptions

    func run() async throws {
        let client = try KeyServerClient(server, token: token)
        let device = try device.device()
        let assetID = asset.bytes
        let certificate = try await client.certificate()
        let request: KeyRequest
        do {
            request = try device.makeSPC(
                certificate: certificate.der,
                assetID: assetID,
                versions: self.device.versions.values
            )
        } catch {
            throw CommandFailure(refusal: error, of: "create an SPC")
        }
        let response = try await client.license(spc: request.spc, persistable: persistable)
        let exchange = DeviceExchange(device: device, certificate: certificate, request: request, response: response)
        var report = exchange.report(server: server.description, showsMessages: showsMessages)
        do {
            report.tables.append(try exchange.openKey(persistable: persistable))
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
