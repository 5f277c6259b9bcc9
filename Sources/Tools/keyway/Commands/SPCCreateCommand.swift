import ArgumentParser
import FPSCrypto
import FileWriting
import Foundation
import ToolSupport
import VirtualDevice

/// `keyway spc create`.
struct SPCCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an SPC with a virtual device.",
        discussion: """
            The device does not store the SPC, so the CKC that responds to it can be checked (keyway ckc open), but \
            not played. For the whole exchange, use keyway device request-key. Options change the content of the SPC; \
            without them, it is the first request of the device profile.

            Either --certificate or --credentials is required: without --certificate, the certificate in the \
            --credentials folder (certificate.der) is used.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(
        name: .customLong("certificate"),
        help: .init(
            "The application certificate, in PEM or DER. The size of its RSA key determines the SPC "
                + "version: 1024 bits for version 1, 2048 bits for version 2. (default: certificate.der in "
                + "the --credentials folder)",
            valueName: "file"
        )
    )
    var certificateFile: InputPath?

    @Option(
        help: .init("The asset ID: text, or hexadecimal after 0x; 2 to 200 bytes.", valueName: "asset-id")
    )
    var asset: AssetIDArgument

    @OptionGroup(title: "Content of the SPC") var request: DeviceRequestOptions

    @Option(
        name: .customLong("spc-created"),
        help: .init(
            "The creation date of the SPC: ISO 8601 with a time zone, such as 2026-01-01T00:00:00Z, "
                + "or seconds since 1970. (default: the current time)",
            valueName: "time"
        )
    )
    var created: TimeArgument?

    @Option(
        help: .init("The file for the SPC; - for standard output. (default: standard output)", valueName: "file")
    )
    var out: OutputPath?

    func validate() throws {
        guard certificateFile != nil || device.source.credentialsFolder != nil else {
            throw ValidationError("--certificate is required, or --credentials with a folder that contains one.")
        }
    }

    func run() throws {
        let path = certificateFile?.path ?? device.source.credentialsFolder.map { "\($0)/certificate.der" } ?? ""
        let certificate = try CertificateFile.read(path).0
        let clock: any DeviceClock = created.map { ManualDeviceClock(now: $0.seconds) } ?? SystemDeviceClock()
        let device = try device.device(clock: clock, for: request)
        let options = try request.requestOptions()
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
        try OutputFile.writeMessage(made.spc, to: out?.path)
    }
}

extension CommandFailure {
    /// Creates a failure for an action that a device refused, with the error's text and FPS code.
    init(refusal error: FPSError, of action: String) {
        let advice = error.code.map { "keyway explain \($0)" }
        self = .input("the device cannot \(action): \(error)", next: advice)
    }
}
