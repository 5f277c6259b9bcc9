import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyStore

/// `keys export`.
struct KeysExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write keys into a file, in the clear unless --to says for whom.",
        discussion: """
            The file has mode 0600, and whoever has it has the content, unless its keys are encrypted. CSV has all that `keys import` takes; CPIX has the \
            keys of one title, and no policies. Policies themselves are not in it: `keyway-server policies show`.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("The keys of this title alone.", valueName: "name"))
    var title: String?
    @Option(help: "csv or cpix.")
    var format: KeyExport.Format = .csv
    @Option(
        help: ArgumentHelp("A certificate that the keys of CPIX are encrypted to, PEM or DER.", valueName: "file")
    )
    var to: [String] = []
    @Option(help: ArgumentHelp("A new file, or a pipe; - is standard output.", valueName: "file"))
    var out: String

    func validate() throws {
        guard format == .csv || title != nil else {
            throw ValidationError("A CPIX document has the keys of one title: give --title.")
        }
        guard format == .cpix || to.isEmpty else {
            throw ValidationError("CSV has no encrypted keys: give --format cpix, or leave --to out.")
        }
    }

    func run() async throws {
        let recipients = try to.map { try X509Certificate(try contents(ofFile: $0)) }
        let form =
            recipients.isEmpty ? "in the clear" : "encrypted to " + recipients.map(\.subject).joined(separator: "; ")
        try await store.withStore { store in
            let output = try ExportFile(out)
            // Before the first key leaves: whatever becomes of the file, the log knows of it.
            let what = "export of \(title.map { "the keys of title \($0)" } ?? "all keys") \(form), \(format)"
            try await store.note("keys export", "keys-export", what)
            let count = try await KeyExport.write(
                title: title,
                as: format,
                encryptedTo: recipients,
                from: store,
                to: output.write
            )
            try output.close()
            tell("\(count) keys, \(form)\(out == "-" ? "" : ", in \(out)")")
        }
    }
}

extension KeyExport.Format: ExpressibleByArgument {}
