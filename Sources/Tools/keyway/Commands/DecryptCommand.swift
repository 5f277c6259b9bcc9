import ArgumentParser
import FileWriting
import MediaDecryption
import MediaFormats
import Packager
import TextCoding
import ToolSupport

/// `keyway decrypt`.
struct DecryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Decrypt media: MP4, transport streams, packed audio, single segments, or whole presentations.",
        discussion: """
            The input is a media file or a playlist. For a playlist, every file that it references is decrypted into a \
            folder, and the playlists are written there without EXT-X-KEY tags. Schemes: cbcs, cenc, cens, cbc1; \
            SAMPLE-AES; AES-128.

            Keys are KID:KEY or KID:KEY:IV in hexadecimal; at least one --key is required. MP4 files contain key IDs \
            and initialization vectors. Transport streams and packed audio contain neither: the playlist selects the \
            key (skd://KID, or KEYID); without a playlist, give only one key, followed by the IV (KID:KEY:IV). A file \
            appears only when it is complete; in a presentation, playlists are written last.

            Only files in the playlist's own folder are read. Download a presentation from the web before decrypting \
            it.
            """
    )

    @Argument(
        help: .init("The path of a media file or a playlist; standard input is not supported.", valueName: "input")
    )
    var input: InputPath

    @Option(
        help: .init(
            "A key, or @ and the path of a file with one key per line, in the same format; # starts a "
                + "comment. Repeatable.",
            valueName: "KID:KEY[:IV]|@file"
        )
    )
    var key: [ContentKeyArgument] = []

    @Option(
        help: .init("The clear file; for a playlist, the folder of the clear presentation.", valueName: "file|folder"),
        transform: OutputPath.parse
    )
    var out: String

    @Option(name: .customLong("init"), help: .init("The initialization segment of a media segment.", valueName: "file"))
    var initialization: InputPath?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard !key.isEmpty else { throw ValidationError("No key is given: give --key KID:KEY, or --key @FILE.") }
        if let reason = URLText.refusal(ofInput: input.path) { throw ValidationError(reason) }
        guard input.path != "-", out != "-" else {
            throw ValidationError("Media is read from files and written to files, not to or from standard streams.")
        }
    }

    func run() throws {
        let input = input.path
        let keys = try DecryptionKeys(key, option: "--key")
        var summary = DecryptionSummary(input: input, output: out)
        do {
            let kind = try MappedFile(path: input).withBytes { MediaFileKind($0) }
            if kind == .playlist {
                try decryptPresentation(keys, &summary)
            } else {
                let tracks = try FileDecryptor(keys: keys).decrypt(input, initialization: initialization?.path, to: out)
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
            throw CommandFailure.usage(
                "--init is for a single segment; a playlist references its initialization segments"
            )
        }
        var progress = ProgressLine()
        defer { progress.clear() }
        let report = try PresentationDecryptor(keys: keys).decrypt(input.path, to: out) { name, number, count in
            progress.show("\(number) of \(count)  \(name)")
        }
        summary.files = report.files
        summary.tracks = report.playlists.flatMap { playlist in playlist.tracks.map { (playlist.name, $0) } }
    }
}
