import ArgumentParser
import FPSCrypto
import Foundation
import VirtualDevice

/// `keyway device`: a virtual device.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Have a virtual device do what an Apple device does.",
        subcommands: [DeviceRequestKeyCommand.self, DevicePlayCommand.self, DeviceWatchCommand.self]
    )
}

/// `keyway device request-key`.
struct DeviceRequestKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-key",
        abstract: "Ask a key server for a key, and open the answer.",
        discussion: """
            The device fetches the certificate (GET /fps/certificate), makes an SPC for it, sends it \
            (POST /fps/license) and opens the CKC, as strictly as the guide allows. The server must know the device's \
            way to DASk: development credentials.
            """
    )

    @Option(help: .init("The key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String

    @Option(help: .init("The asset ID: text, or 0x and hexadecimal; 2 to 200 bytes.", valueName: "id"))
    var asset: String

    @OptionGroup var device: DeviceOptions

    @Option(help: .init("The token that the server wants.", valueName: "text|@file"))
    var token: String?

    @Flag(help: "Ask for a key to keep, and keep it.")
    var persistable = false

    @Flag(name: .customLong("show-messages"), help: "Print the SPC and the CKC, field by field.")
    var showsMessages = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard KeyServerClient.url(server) != nil else {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
    }

    func run() async throws {
        let client = try KeyServerClient(server: server, token: token)
        let device = try device.device()
        let assetID = try HexArgument.assetID(asset, option: "--asset")
        let certificate = try await client.certificate()
        let request: KeyRequest
        do {
            request = try device.makeSPC(
                certificate: certificate.der,
                assetID: assetID,
                versions: self.device.versions
            )
        } catch {
            throw CommandFailure(refusal: error, of: "make an SPC")
        }
        let answer = try await client.license(spc: request.spc, persistable: persistable)
        let exchange = DeviceExchange(device: device, certificate: certificate, request: request, answer: answer)
        var report = exchange.report(server: client.base, showsMessages: showsMessages)
        do {
            report.tables.append(try exchange.openKey(persistable: persistable))
        } catch {
            report.problem = .init(
                stage: "device",
                code: error.name,
                reason: "the CKC is refused: \(error)",
                next: error.code.map { "keyway explain \($0)" }
            )
        }
        try self.report.print(report)
    }
}
