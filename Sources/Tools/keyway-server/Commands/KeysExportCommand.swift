import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `keys export`.
struct KeysExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write keys to a file, in the clear unless --recipient specifies a certificate.",
        discussion: """
            The file has mode 0600. Unless its keys are encrypted, anyone who can read it can decrypt the content. \
            CSV contains every column that `keys import` reads. CPIX (Content Protection Information Exchange), an \
            XML document, contains the keys of one title, without policies. Export the policies themselves with \
            `keyway-server policies show`.

              keyway-server keys export --data data --out keys.csv
              keyway-server keys export --data data --title film --format cpix --out film.xml
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(
        help: ArgumentHelp(
            "Export only the keys of this title. Required with --format cpix. (default: all keys)",
            valueName: "name"
        )
    )
    var title: String?
    @Option(help: ArgumentHelp("The format of the output.", valueName: "format"))
    var format: KeyExport.Format = .csv
    @Option(
        name: .customLong("recipient"),
        help: ArgumentHelp(
            """
            A recipient's certificate, PEM or DER, that the keys of a CPIX document are encrypted to; repeatable. \
            Requires --format cpix. (default: the keys are in the clear)
            """,
            valueName: "file"
        )
    )
    var to: [InputPath] = []
    @Option(
        help: ArgumentHelp(
            "The output: a new file, a pipe, or - for standard output. An existing file is never replaced.",
            valueName: "file"
        )
    )
    var out: OutputPath

    func validate() throws {
        guard format == .csv || title != nil else {
            throw ValidationError("--format cpix requires --title: a CPIX document contains the keys of one title.")
        }
        guard format == .cpix || to.isEmpty else {
            throw ValidationError("--recipient requires --format cpix: CSV cannot contain encrypted keys.")
        }
    }

    func run() async throws {
        let recipients = try to.map { try X509Certificate(try InputFile.read($0.path)) }
        let form =
            recipients.isEmpty ? "in the clear" : "encrypted to " + recipients.map(\.subject).joined(separator: "; ")
        try await store.withStore { store in
            let output = try ExportFile(out.path)
            // Audited before the first key is written, so that the log contains the export even if it fails.
            let what = "export of \(title.map { "the keys of title \($0)" } ?? "all keys") \(form), \(format)"
            try await store.appendAudit("keys export", "keys-export", what)
            let count = try await KeyExport.write(
                title: title,
                as: format,
                encryptedTo: recipients,
                from: store,
                to: output.write
            )
            try output.close()
            let place = out.path == "-" ? "" : ", in \(out)"
            Terminal.writeError(escaped("\(counted(count, "key")), \(form)\(place)"))
        }
    }
}
