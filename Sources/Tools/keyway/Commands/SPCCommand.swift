import ArgumentParser
import ToolSupport

/// `keyway spc`: commands for SPCs.
struct SPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spc",
        abstract: "Inspect and create SPCs, the key requests of devices.",
        subcommands: [SPCInspectCommand.self, SPCCreateCommand.self]
    )
}

/// `keyway spc inspect`.
struct SPCInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print every field of an SPC.",
        discussion: """
            Without keys, only the container is printed. With --private-key, the payload is printed too, block by \
            block. With --private-key and a source of DASk (--dask, --ask, or --plugin), the integrity value is \
            also verified, and the device is identified.

            All options are optional. --certificate, --passphrase-file, --dask, and --ask require --private-key, \
            unless --plugin is given: a plug-in can open SPCs of version 3 without a private key.
            """
    )

    @Argument(help: "The SPC, in binary or base64; - for standard input.")
    var file: InputPath

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws { try opening.requirePrivateKey() }

    func run() throws {
        let credentials = try opening.credentials()
        let spc = try MessageFile.load(file.path, as: .spc, allowsVersion3: credentials.wholeSPC != nil)
        let inspection = SPCInspection(spc.bytes, with: credentials)
        try report.print(Report(spc: inspection, size: spc.bytes.count, isBase64: spc.isBase64))
    }
}
