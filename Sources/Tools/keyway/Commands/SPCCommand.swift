import ArgumentParser

/// `keyway spc`: about SPCs.
struct SPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spc",
        abstract: "Look into SPCs, the requests for keys, and make them.",
        subcommands: [SPCInspectCommand.self, SPCCreateCommand.self]
    )
}

/// `keyway spc inspect`.
struct SPCInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print every field of an SPC.",
        discussion: """
            Without keys, the container. With --private-key, the payload as well, block by block. With a way to DASk \
            (--dask, --ask or --plugin) on top of it, whether the integrity holds, and who asks.
            """
    )

    @Argument(help: "The SPC, in binary or base64; - for standard input.")
    var file: String

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws { try opening.requirePrivateKey() }

    func run() throws {
        let credentials = try opening.credentials()
        let spc = try MessageFile.read(file, as: .spc, allowsVersion3: credentials.wholeSPC != nil)
        try report.print(Report(spc: SPCDissection(spc, with: credentials), size: spc.count))
    }
}
