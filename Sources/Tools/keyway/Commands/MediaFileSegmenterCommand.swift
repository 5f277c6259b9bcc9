import ArgumentParser
import DRMSignaling
import Packager
import ToolSupport

/// `keyway mediafilesegmenter`: the packager with the option names of Apple's tool.
struct MediaFileSegmenterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mediafilesegmenter",
        abstract: "Package a movie with the options of Apple's mediafilesegmenter.",
        discussion: """
            Options accept one hyphen or two, as in Apple's tool. The output differs in one way: tracks are never \
            multiplexed. The index file is a Multivariant Playlist, and each track has a folder with a Media Playlist \
            of the same name. Existing files are replaced. The options under NOT SUPPORTED are errors: the command \
            exits with code 2.

              keyway mediafilesegmenter -r -P --stream-encrypt \\
                  -k key.bin -K skd://movie -f site movie.mp4
            """
    )

    @Argument(help: .init("The movie, or - for standard input.", valueName: "file"))
    var input: InputPath

    @Option(
        name: .apple("f", "file-base"),
        help: .init("The output folder.", valueName: "folder"),
        transform: OutputPath.parse
    )
    var fileBase = "."

    @Option(name: .apple("i", "index-file"), help: .init("The file name of the playlists.", valueName: "name"))
    var indexFile = "prog_index.m3u8"

    @Option(name: .apple("B", "base-media-file-name"), help: .init("The prefix of segment names.", valueName: "name"))
    var baseMediaFileName = "fileSequence"

    @Option(
        name: .apple("t", "target-duration"),
        help: .init("The target duration of segments, in seconds, as in Apple's tool.", valueName: "seconds")
    )
    var targetDuration = SegmenterSeconds(duration: .seconds(10))

    @Option(
        name: .apple("z", "iframe-index-file"),
        help: .init("The file name of the I-frame playlists, or none to omit them.", valueName: "name")
    )
    var iFrameIndexFile = "iframe_index.m3u8"

    @Flag(name: .apple("r", "iso-fragmented"), help: "Write fragmented MP4 instead of transport streams.")
    var isISOFragmented = false

    @Option(
        name: .apple(nil, "format"),
        help: .init(
            "The segment format: iso, which is the same as -r. (default: transport streams)",
            valueName: "format"
        )
    )
    var format: SegmenterFormat?

    @Flag(name: .apple("s", "output-single-file"), help: "Write one file for each track.")
    var isSingleFile = false

    @Flag(name: .apple("a", "audio-only"), help: "Package only audio tracks.")
    var isAudioOnly = false

    @Flag(name: .apple("A", "video-only"), help: "Package only video tracks.")
    var isVideoOnly = false

    @Flag(
        name: .customLong("skip-unsupported"),
        help: "Leave out video, audio, and subtitles that cannot be packaged, instead of an error."
    )
    var skipsUnsupported = false

    @Flag(name: .apple(nil, "start-segments-with-iframe"), help: "No effect: segments always start with an I-frame.")
    var startsWithIFrame = false

    @Flag(name: .apple("q", "quiet"), help: "Print only errors.")
    var isQuiet = false

    @OptionGroup(title: "Encryption") var encryption: SegmenterEncryptionOptions
    @OptionGroup(title: "Not supported") var refused: RefusedSegmenterOptions

    func validate() throws {
        try refused.check()
        try encryption.check()
        guard !(isAudioOnly && isVideoOnly) else {
            throw ValidationError("-a and -A exclude each other: give only one of the two.")
        }
    }

    func run() async throws {
        var session = PackagingSession(settings: settings())
        session.isQuiet = isQuiet
        try await session.run()
    }

    /// Returns the options as settings of `keyway package`.
    private func settings() -> PackagingSettings {
        var settings = PackagingSettings()
        var source = PackagingJob.Input(path: input.path)
        if isAudioOnly { source.tracks = [.audio] }
        if isVideoOnly { source.tracks = [.video] }
        settings.inputs = [source]
        let isFragmented = isISOFragmented || format == .iso
        settings.out = .init(fileBase)
        settings.container = .init(isFragmented ? .fmp4 : .ts)
        settings.segmentDuration = .init(targetDuration.duration)
        if isSingleFile { settings.flags["single-file"] = .commandLine }
        if skipsUnsupported { settings.flags["skip-unsupported"] = .commandLine }
        settings.selectionOption = { kinds in ["audio": "-a", "video": "-A"][kinds] }
        // Apple's tool replaces existing files.
        settings.flags["overwrite"] = .commandLine
        settings.names.multivariant = indexFile
        settings.names.media = indexFile
        settings.names.iFrames = iFrameIndexFile.lowercased() == "none" ? nil : iFrameIndexFile
        settings.names.segmentPrefix = baseMediaFileName
        encryption.add(to: &settings, isFragmented: isFragmented)
        return settings
    }
}

extension NameSpecification {
    /// Returns a short name, and a long name that accepts one hyphen or two.
    static func apple(_ short: Character?, _ long: String) -> NameSpecification {
        NameSpecification(
            (short.map { [.customShort($0)] } ?? []) + [.customLong(long), .customLong(long, withSingleDash: true)]
        )
    }
}
