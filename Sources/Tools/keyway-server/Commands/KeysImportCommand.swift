import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyStore

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
            """
    )

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("The file, CSV or CPIX 2.3.", valueName: "file"))
    var file: String
    @Option(
        help: ArgumentHelp(
            """
            The private key, PEM or DER, that decrypts the keys of a CPIX document. Required if they are encrypted.
            """,
            valueName: "file"
        )
    )
    var privateKey: String?
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
    /// The maximum number of errors that are printed.
    private static let maximumPrintedErrors = 50

    func run() async throws {
        let opener = try privateKey.map { try RSAPrivateKey(try SecretFile.read($0).reveal()) }
        // A warning is unnecessary for a file whose keys are encrypted.
        if privateKey == nil { warnOfOpenFile(file) }
        let (rows, mistakes) = try KeyRow.rows(ofFile: try contents(ofFile: file), privateKey: opener)
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
                printToStandardError("\(file): \(mistake)")
            }
            if summary.mistakes.count > Self.maximumPrintedErrors {
                printToStandardError("\(file): \(summary.mistakes.count - Self.maximumPrintedErrors) more errors")
            }
            print(line(summary))
            // Flush before the error is printed, also if the output is not a terminal.
            fflush(nil)
            guard summary.mistakes.isEmpty else {
                throw CommandFailure("\(summary.mistakes.count) errors; nothing was written")
            }
            guard !dryRun else { return }
            // Audited before the first batch, because an interrupted import has already written some batches.
            try await store.appendAudit("keys import", "keys-import", "import started: \(line(summary))")
            let isTerminal = isatty(STDERR_FILENO) == 1
            try await keys.write(into: store) { count in
                if isTerminal { FileHandle.standardError.write(Data("\r\(count) keys".utf8)) }
            }
            if isTerminal { printToStandardError("") }
            print("written")
        }
    }

    private func line(_ summary: KeyImport.Summary) -> String {
        let titles = [
            (summary.newTitles, "new titles"), (summary.newTracks, "new tracks"),
            (summary.changed, "titles and tracks to change"),
        ]
        let keys = "\(summary.new) new, \(summary.same) the same, \(summary.replaced) to replace"
        return keys + titles.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
            + ", \(summary.mistakes.count) errors"
    }
}

/// Prints a line to standard error, separate from a command's output.
func printToStandardError(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
