import ArgumentParser
import MediaDecryption
import MediaFormats
import Packager
import TextCoding
import ToolSupport

/// `keyway media inspect`.
struct MediaInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the structure and content of a media file, and how each track is encrypted.",
        discussion: """
            MP4: the boxes with their offsets, sizes, and fields, then the tracks. Transport streams: the program with \
            its streams and PIDs. Packed audio: ID3 tags and frames. WebVTT: cues.

            If a box contains more than 6 boxes of one type, only the first 2 of them, and damaged ones, are shown, \
            unless --all is given. A damaged file is shown up to the damage, and the exit code is then 1. Constant \
            initialization vectors are never shown: with FairPlay they are as secret as keys.
            """
    )

    @Argument(help: .init("The path of a media file; standard input is not supported.", valueName: "file"))
    var input: InputPath

    @Option(
        help: .init(
            "The deepest level of boxes to show; 1 is the outermost. (default: all levels)",
            valueName: "number"
        )
    )
    var depth: Int?

    @Flag(help: "Show all boxes of types that occur in large numbers.")
    var all = false

    @Option(
        name: .customLong("init"),
        help: .init("The initialization segment of an MP4 media segment.", valueName: "file")
    )
    var initialization: InputPath?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if let depth, depth < 1 { throw ValidationError("--depth: expected a number above 0.") }
        guard input.path != "-" else { throw ValidationError("Media is read from files, not from standard input.") }
    }

    func run() throws {
        let inspection: MediaInspection
        do {
            let movie = try initialization.map { file in
                try MappedFile(path: file.path).withBytes { try MP4Decryptor.movie(of: $0) }
            }
            inspection = try MappedFile(path: input.path).withBytes { try inspect($0, movie) }
        } catch {
            throw CommandFailure.media(error, path: input.path)
        }
        let renderer = TextRenderer(style: Terminal.style)
        let name = input.path
        try Terminal.write(output.json ? inspection.json(name: name).indented : inspection.text(name: name, renderer))
        if let problem = inspection.problem { throw CommandFailure.input("\(input) is damaged: \(problem)") }
    }

    private func inspect(_ file: RawSpan, _ movie: Movie?) throws -> MediaInspection {
        switch MediaFileKind(file) {
        case .mp4:
            let listing = BoxListing(depth: depth, showsAll: all)
            return MediaInspection(mp4: file, initialization: movie, listing, output.json ? .plain : Terminal.style)
        case .transportStream: return MediaInspection(transportStream: file)
        case .packedAudio: return MediaInspection(packedAudio: file)
        case .webVTT: return MediaInspection(webVTT: file)
        case .playlist:
            throw CommandFailure.input("\(input) is a playlist", next: "run keyway playlist show to print it")
        case .other:
            throw CommandFailure.input(
                file.byteCount == 0 ? "\(input) is empty" : "\(input) is not a media file of a supported format",
                next: file.byteCount > 0 && file.byteCount % 16 == 0
                    ? "it may be an AES-128 segment: decrypt it with keyway decrypt, its key, and its IV"
                    : "supported are MP4, MPEG-2 transport streams, packed audio, and WebVTT"
            )
        }
    }
}
