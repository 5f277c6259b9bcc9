import ArgumentParser

/// `keyway ckc`: about CKCs.
struct CKCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ckc",
        abstract: "Look into CKCs, the answers with keys; make them, and see whether a device would take them.",
        subcommands: [CKCInspectCommand.self, CKCCreateCommand.self, CKCOpenCommand.self]
    )
}

/// `keyway ckc inspect`.
struct CKCInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print every field of a CKC.",
        discussion: """
            Without keys, the container. The payload opens with the secrets of the SPC that the CKC answers: --spc, \
            --private-key, and a way to DASk (--dask, --ask or --plugin).
            """
    )

    @Argument(help: "The CKC, in binary or base64; - for standard input.")
    var file: String

    @Option(help: .init("The SPC that it answers.", valueName: "file"))
    var spc: String?

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        try opening.requirePrivateKey()
        guard (spc != nil) == (opening.key.privateKeyPath != nil) else {
            throw ValidationError("--spc and --private-key go together.")
        }
        if spc != nil { try opening.requireDASk() }
    }

    func run() throws {
        let session = try spc.map { try OpenedExchange(spc: $0, opening) }
        let ckc = try MessageFile.read(file, as: .ckc)
        let dissection = CKCDissection(ckc, payloadKey: session?.payloadKey)
        try report.print(Report(ckc: dissection, size: ckc.count, sessionKey: session?.session.sessionKey))
    }
}
