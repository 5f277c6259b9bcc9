import ArgumentParser
import DRMSignaling
import Packager

/// `keyway mediafilesegmenter`: the packager under the option names of Apple's tool.
struct MediaFileSegmenterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mediafilesegmenter",
        abstract: "Package a film with the options of Apple's mediafilesegmenter.",
        discussion: """
            Options go by one hyphen or two, as there. One thing differs: tracks are never multiplexed. The index file is \
            a Multivariant Playlist, and each track has a folder with a playlist of the same name.

            keyway mediafilesegmenter -r -P --stream-encrypt -k key.bin -K skd://film -f site film.mp4
            """
    )

    @Argument(help: .init("The film, or - for standard input.", valueName: "file"))
    var input: String

    @Option(
        name: .apple("f", "file-base"),
        help: .init("Where files go.", valueName: "dir"),
        transform: OutputPath.parse
    )
    var fileBase = "."

    @Option(name: .apple("i", "index-file"), help: .init("The playlist that players open.", valueName: "name"))
    var indexFile = "prog_index.m3u8"

    @Option(name: .apple("B", "base-media-file-name"), help: .init("What segments are called.", valueName: "name"))
    var baseMediaFileName = "fileSequence"

    @Option(name: .apple("t", "target-duration"), help: .init("How long segments are aimed to be.", valueName: "s"))
    var targetDuration = "10"

    @Option(
        name: .apple("z", "iframe-index-file"),
        help: .init("The playlist of I-frames, or none.", valueName: "name")
    )
    var iFrameIndexFile = "iframe_index.m3u8"

    @Flag(name: .apple("r", "iso-fragmented"), help: "Fragmented MP4 instead of transport streams.")
    var isISOFragmented = false

    @Option(name: .apple(nil, "format"), help: .init("iso means -r.", valueName: "name"))
    var format: String?

    @Flag(name: .apple("s", "output-single-file"), help: "One file for each track.")
    var isSingleFile = false

    @Flag(name: .apple("a", "audio-only"), help: "Audio alone.")
    var isAudioOnly = false

    @Flag(name: .apple("A", "video-only"), help: "Video alone.")
    var isVideoOnly = false

    @Flag(name: .apple(nil, "start-segments-with-iframe"), help: "As it is in any case.")
    var startsWithIFrame = false

    @Flag(name: .apple("q", "quiet"), help: "Say nothing but what is wrong.")
    var isQuiet = false

    @OptionGroup(title: "Encryption") var encryption: SegmenterEncryptionOptions
    @OptionGroup(title: "Not done") var refused: RefusedSegmenterOptions

    func validate() throws {
        try refused.check()
        try encryption.check()
        guard !(isAudioOnly && isVideoOnly) else {
            throw ValidationError("-a and -A leave nothing: give one of the two.")
        }
        guard format == nil || format == "iso" else {
            throw ValidationError("--format takes iso; without it segments are transport streams.")
        }
    }

    func run() async throws {
        var session = PackagingSession(settings: settings())
        session.isQuiet = isQuiet
        try await session.run()
    }

    /// The same in the words of `keyway package`.
    private func settings() -> PackagingSettings {
        var settings = PackagingSettings()
        var source = PackagingJob.Input(path: input)
        if isAudioOnly { source.tracks = [.audio] }
        if isVideoOnly { source.tracks = [.video] }
        settings.inputs = [source]
        let isFragmented = isISOFragmented || format == "iso"
        let words = [
            ("out", fileBase), ("container", isFragmented ? "fmp4" : "ts"), ("segment-duration", targetDuration),
        ]
        for (name, word) in words { settings.values[name] = .init(text: word, place: .commandLine) }
        if isSingleFile { settings.flags["single-file"] = .commandLine }
        // Apple's tool replaces what is there.
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
    /// A short name, and a long one behind one hyphen or two.
    static func apple(_ short: Character?, _ long: String) -> NameSpecification {
        NameSpecification(
            (short.map { [.customShort($0)] } ?? []) + [.customLong(long), .customLong(long, withSingleDash: true)]
        )
    }
}
