import ArgumentParser
import FPSCrypto
import FileWriting
import Foundation
import TextCoding
import VirtualDevice

/// `keyway spc create`.
struct SPCCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an SPC with a virtual device.",
        discussion: """
            The device does not remember it, so the CKC that answers it can be checked (keyway ckc open) but not played; \
            keyway device request-key does the whole exchange.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(
        name: .customLong("certificate"),
        help: .init("The application certificate; the size of its key decides the SPC's version.", valueName: "file")
    )
    var certificatePath: String?

    @Option(
        name: .customLong("asset-id"),
        help: .init("The asset ID: text, or 0x and hexadecimal; 2 to 200 bytes.", valueName: "id")
    )
    var assetID: String

    @Option(help: .init("What the player is doing.", valueName: "state"))
    var state = PlaybackStateArgument.ready

    @Option(
        name: .customLong("spc-created"),
        help: .init("When the SPC says it was made: 2026-01-01T00:00:00Z, or seconds since 1970.", valueName: "date")
    )
    var created: String?

    @Option(
        help: .init("Where the SPC goes; standard output if it is left out.", valueName: "file"),
        transform: OutputPath.parse
    )
    var out: String?

    func validate() throws {
        guard certificatePath != nil || device.credentialsFolder != nil else {
            throw ValidationError("--certificate is needed, or --credentials, where one is.")
        }
        guard created == nil || creationDate != nil else {
            throw ValidationError("--spc-created is a date such as 2026-01-01T00:00:00Z.")
        }
    }

    func run() throws {
        let path = certificatePath ?? device.credentialsFolder.map { "\($0)/certificate.der" } ?? ""
        let certificate = try CertificateFile.read(path).0
        let clock: any DeviceClock = creationDate.map { ManualDeviceClock(now: $0) } ?? SystemDeviceClock()
        let device = try device.device(clock: clock)
        let assetID = try HexArgument.assetID(assetID, option: "--asset-id")
        let request: KeyRequest
        do {
            request = try device.makeSPC(
                certificate: certificate.der,
                assetID: assetID,
                versions: self.device.versions,
                options: .init(playbackState: state.state)
            )
        } catch {
            throw CommandFailure(refusal: error, of: "make an SPC")
        }
        try OutputFile.writeMessage(request.spc, to: out)
    }

    private var creationDate: Int64? {
        guard let created else { return nil }
        if let seconds = Int64(created), seconds >= 0 { return seconds }
        return Timestamp(created).flatMap { $0.utcOffset == nil ? nil : $0.seconds }
    }
}

/// What a player is doing, on the command line.
enum PlaybackStateArgument: String, ExpressibleByArgument, CaseIterable {
    case ready
    case playing
    case lease
    case halted

    /// The same for the device.
    var state: FPSDevice.PlaybackState {
        switch self {
        case .ready: .readyToStart
        case .playing: .playing
        case .lease: .leaseAboutToExpire
        case .halted: .halted
        }
    }
}

extension CommandFailure {
    /// What a device refused to do, in the words and the code of FPS.
    init(refusal error: FPSError, of action: String) {
        let advice = error.code.map { "keyway explain \($0)" }
        self = .input("the device does not \(action): \(error)", next: advice)
    }
}
