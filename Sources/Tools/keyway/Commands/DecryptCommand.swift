import ArgumentParser
import MediaDecryption
import MediaFormats
import Packager
import TextCoding

/// `keyway decrypt`.
struct DecryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Decrypt media: MP4, transport streams, packed audio, single segments, whole presentations.",
        discussion: """
            The input is one file, or a playlist: then everything that it names is decrypted into a folder, and playlists \
            are written there without keys. Schemes: cbcs, cenc, cens, cbc1; SAMPLE-AES; AES-128.

            Keys are KID:KEY or KID:KEY:IV in hexadecimal. MP4 names the keys that it needs and has its own vectors. \
            Transport streams and packed audio do neither: the playlist names the key (skd://KID, or KEYID), otherwise \
            give one key alone; the IV goes behind it, unless the playlist has one. A file is written only when all of it \
            is there; of a presentation, playlists come last.

            A playlist leads only to files of its own folder. What is on the web has to be downloaded first.
            """
    )

    @Argument(help: .init("A file of media, or a playlist.", valueName: "input"))
    var input: String

    @Option(help: .init("A key; @FILE has one on each line; can be repeated.", valueName: "KID:KEY[:IV]"))
    var key: [String] = []

    @Option(
        help: .init("Where the clear file goes; for a playlist, a folder.", valueName: "path"),
        transform: OutputPath.parse
    )
    var out: String

    @Option(name: .customLong("init"), help: .init("The init segment of a media segment.", valueName: "file"))
    var initialization: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !key.isEmpty else { throw ValidationError("Give a key: --key KID:KEY, or --key @FILE.") }
        if input.contains("://") {
            throw ValidationError("Only files are decrypted: download the presentation first, with all that it names.")
        }
        guard input != "-", out != "-" else {
            throw ValidationError("Media are read from files and written to files, not from and to standard streams.")
        }
    }

    func run() throws {
        let keys = try KeyArguments.keys(key)
        var summary = DecryptionSummary(input: input, output: out)
        do {
            let kind = try MappedFile(path: input).withBytes { MediaFileKind($0) }
            if kind == .playlist {
                try decryptPresentation(keys, &summary)
            } else {
                let tracks = try FileDecryptor(keys: keys).decrypt(input, initialization: initialization, to: out)
                summary.tracks = tracks.map { (nil, $0) }
            }
        } catch {
            throw CommandFailure.media(error, path: input)
        }
        let renderer = TextRenderer(style: Terminal.style)
        try Terminal.write(output.json ? summary.json.indented : summary.text(renderer))
    }

    private func decryptPresentation(_ keys: DecryptionKeys, _ summary: inout DecryptionSummary) throws {
        guard initialization == nil else {
            throw CommandFailure.usage("--init is for a single segment; a playlist names its init segments")
        }
        var progress = ProgressLine()
        defer { progress.clear() }
        let report = try PresentationDecryptor(keys: keys).decrypt(input, to: out) { name, number, count in
            progress.show("\(number) of \(count)  \(name)")
        }
        summary.files = report.files
        summary.tracks = report.playlists.flatMap { playlist in playlist.tracks.map { (playlist.name, $0) } }
    }
}
