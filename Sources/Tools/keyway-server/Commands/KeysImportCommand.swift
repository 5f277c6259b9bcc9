import ArgumentParser
import FPSCrypto
import Foundation
import KeyServer
import KeyStore

/// `keys import`.
struct KeysImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring keys in from a CSV file or a CPIX document.",
        discussion: """
            All rows are checked before anything is written, and with one mistake nothing is. Then they are written in \
            batches of 500, each of them whole or not at all. If that is cut off, run it again with --resume. CSV has a \
            header row with the columns title, track, kind, asset, kid, key, iv, policy, stream, valid_from, valid_until, \
            title_id, title_policy, track_policy, key_uri; key and iv must be there, and asset or kid.
            """
    )

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("The file, CSV or CPIX 2.3.", valueName: "file"))
    var file: String
    @Option(
        help: ArgumentHelp("Whose certificate a CPIX document's keys are encrypted to, PEM or DER.", valueName: "file")
    )
    var privateKey: String?
    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false
    @Flag(help: "Pass over keys that are there already and equal.")
    var resume = false
    @Flag(help: "Put keys, titles and tracks in the place of others that are there.")
    var replace = false
    /// More would not be read.
    private static let shownMistakes = 50

    func run() async throws {
        let opener = try privateKey.map { try RSAPrivateKey(try SecretFile.read($0).reveal()) }
        // What is encrypted to a private key others may read.
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
            for mistake in summary.mistakes.prefix(Self.shownMistakes) { tell("\(file): \(mistake)") }
            if summary.mistakes.count > Self.shownMistakes {
                tell("\(file): \(summary.mistakes.count - Self.shownMistakes) more mistakes")
            }
            print(line(summary))
            // Before the error, also where the output is no terminal.
            fflush(nil)
            guard summary.mistakes.isEmpty else {
                throw CommandFailure("\(summary.mistakes.count) mistakes: nothing was written")
            }
            guard !dryRun else { return }
            // Before the first batch, since an import that is cut off has written the batches before.
            try await store.note("keys import", "keys-import", "import begun: \(line(summary))")
            let isTerminal = isatty(STDERR_FILENO) == 1
            try await keys.write(into: store) { count in
                if isTerminal { FileHandle.standardError.write(Data("\r\(count) keys".utf8)) }
            }
            if isTerminal { tell("") }
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
            + ", \(summary.mistakes.count) mistakes"
    }
}

/// Prints a line to standard error, where it does not mix with a command's product.
func tell(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
