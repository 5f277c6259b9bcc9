import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// `keys import`.
struct KeysImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import keys from a CSV file or a CPIX document.",
        discussion: """
            All rows are checked first, and if any row has an error, nothing is written. The rows are then written \
            in batches of 500, each in one transaction. If the import is interrupted, run it again with --resume.

            CSV requires a header row naming any of these columns: title, track, kind, asset, kid, key, iv, policy, \
            stream, valid_from, valid_until, title_id, title_policy, track_policy, key_uri. Required: key, iv, and \
            either asset or kid. Titles and tracks that do not exist are created. CPIX is the Content Protection \
            Information Exchange format, an XML document with keys.

              keyway-server keys import keys.csv --data data --resume --dry-run
              keyway-server keys import keys.csv --data data --resume
            """
    )

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("The file, CSV or CPIX (2.3 or 2.4).", valueName: "file"))
    var file: InputPath
    @Option(
        help: ArgumentHelp(
            """
            The private key, PEM or DER, that decrypts the keys of a CPIX document. Required if they are encrypted.
            """,
            valueName: "file"
        )
    )
    var privateKey: InputPath?
    @Flag(help: "Print what would be written, and write nothing.")
    var dryRun = false
    @Flag(
        help:
            "Skip keys that are already stored and identical. Without --resume and --replace, they are errors."
    )
    var resume = false
    @Flag(
        help:
            """
            Replace stored keys, titles, and tracks that differ, and skip identical keys. Without it, a difference \
            is an error.
            """
    )
    var replace = false
    @OptionGroup var output: JSONOption
    /// The maximum size of a file, in bytes: a million keys.
    private static let maximumSize = 1 << 28
    /// The maximum number of errors that are printed.
    private static let maximumPrintedErrors = 50

    func run() async throws {
        let opener = try privateKey.map { try RSAPrivateKey(try SecretFile.read($0.path).reveal()) }
        // The rules for secret files do not matter for a file whose keys are encrypted.
        let content =
            opener == nil
            ? try InputFile.readSecret(file.path, maximum: Self.maximumSize)
            : try InputFile.read(file.path, maximum: Self.maximumSize)
        let (rows, mistakes) = try KeyRow.rows(ofFile: content, privateKey: opener)
        try await store.withStore(creating: dryRun ? .never : .ifMissing) { store in
            let keys = try await KeyImport(
                rows: rows,
                mistakes: mistakes,
                into: store,
                options: .init(resumes: resume, replaces: replace),
                time: systemMilliseconds() / 1000
            )
            let summary = keys.summary
            for mistake in summary.mistakes.prefix(Self.maximumPrintedErrors) {
                Terminal.writeError(escaped("\(file): \(mistake)"))
            }
            if summary.mistakes.count > Self.maximumPrintedErrors {
                let more = summary.mistakes.count - Self.maximumPrintedErrors
                Terminal.writeError(escaped("\(file): \(counted(more, "more error"))"))
            }
            try output.print(json(summary)) { line(summary) }
            guard summary.mistakes.isEmpty else {
                throw CommandFailure.input("\(counted(summary.mistakes.count, "error")); nothing was written")
            }
            guard !dryRun else { return }
            // Audited before the first batch, because an interrupted import has already written some batches.
            try await store.appendAudit("keys import", "keys-import", "import started: \(line(summary))")
            var progress = ProgressLine()
            try await keys.write(into: store) { count in progress.show(counted(count, "key")) }
            progress.clear()
            if !output.json { try printLine("written") }
        }
    }

    private func line(_ summary: KeyImport.Summary) -> String {
        let titles = [
            counted(summary.newTitles, "new title"), counted(summary.newTracks, "new track"),
            counted(summary.changed, "title or track to change", "titles and tracks to change"),
        ]
        let keys = "\(summary.new) new, \(summary.same) the same, \(summary.replaced) to replace"
        return keys + titles.filter { !$0.hasPrefix("0 ") }.map { ", \($0)" }.joined()
            + ", \(counted(summary.mistakes.count, "error"))"
    }

    private func json(_ summary: KeyImport.Summary) -> JSONValue {
        .object([
            "new": .integer(summary.new), "same": .integer(summary.same), "replaced": .integer(summary.replaced),
            "newTitles": .integer(summary.newTitles), "newTracks": .integer(summary.newTracks),
            "changed": .integer(summary.changed), "errors": .array(summary.mistakes.map { .string("\($0)") }),
        ])
    }
}
