import ArgumentParser
import ToolSupport

/// `keyway ckc`: commands for CKCs.
struct CKCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ckc",
        abstract:
            "Inspect, create, and open CKCs, the responses to key requests; open verifies a CKC as a device does.",
        subcommands: [CKCInspectCommand.self, CKCCreateCommand.self, CKCOpenCommand.self]
    )
}

/// `keyway ckc inspect`.
struct CKCInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print every field of a CKC.",
        discussion: """
            Without keys, only the container is printed. Decrypting the payload requires the secrets of the SPC that \
            the CKC responds to: --spc, --private-key, and a source of DASk: --dask or --ask, or --plugin with an \
            optional --ask. --spc and --private-key require each other.
            """
    )

    @Argument(help: "The CKC, in binary or base64; - for standard input.")
    var file: InputPath

    @Option(
        help: .init("The SPC that the CKC responds to, in binary or base64; - for standard input.", valueName: "file")
    )
    var spc: InputPath?

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        try opening.requirePrivateKey()
        guard (spc != nil) == (opening.key.privateKeyFile != nil) else {
            throw ValidationError("--spc and --private-key require each other: give both, or neither.")
        }
        if spc != nil { try opening.requireDASk() }
    }

    func run() throws {
        let session = try spc.map { try OpenedExchange(spc: $0, opening) }
        let ckc = try MessageFile.load(file.path, as: .ckc)
        let shown = Report(
            ckc: CKCInspection(ckc.bytes, payloadKey: session?.payloadKey),
            size: ckc.bytes.count,
            isBase64: ckc.isBase64,
            sessionKey: session?.session.sessionKey
        )
        try report.print(shown)
    }
}
