import ArgumentParser
import HLSPlaylist
import OfflineAssets

/// The options that select the variants and renditions to download.
struct DownloadSelectionOptions: ParsableArguments {
    @Option(
        name: .customLong("variant"),
        help: .init(
            "The limits of a variant: 1280x720, 3000000, hvc1, or several separated by commas; or "
                + "best, or all. Repeatable. (default: best)",
            valueName: "limits"
        )
    )
    var variants: [String] = []

    @Option(
        help: .init(
            "Audio languages, separated by commas: one rendition for each. (default: the audio "
                + "renditions that a player selects without preferences)",
            valueName: "list"
        )
    )
    var languages: String?

    @Option(
        help: .init(
            "Subtitle languages, separated by commas: one rendition for each. (default: the subtitles "
                + "that a player selects without preferences)",
            valueName: "list"
        )
    )
    var subtitles: String?

    @Option(
        name: .customLong("rendition"),
        help: .init(
            "Download all renditions that match type=AUDIO,group=a,language=en; each part is "
                + "optional. Repeatable: renditions that match any filter are downloaded. They replace the "
                + "default renditions of the given type, or of all types if a filter has no type; other "
                + "types keep their defaults. It cannot be combined with --languages or --subtitles.",
            valueName: "filter"
        )
    )
    var renditions: [String] = []

    @Flag(help: "Download all variants, renditions, and I-frame playlists.")
    var all = false

    @Flag(name: .customLong("i-frames"), help: "Include the I-frame playlists.")
    var iFrames = false

    /// Returns the selection that the options specify.
    func selection() throws -> BundleSelection {
        let isRestricted = !variants.isEmpty || languages != nil || subtitles != nil || !renditions.isEmpty
        guard !all || !isRestricted else {
            throw ValidationError(
                "--all cannot be combined with --variant, --languages, --subtitles, or --rendition."
            )
        }
        guard renditions.isEmpty || (languages == nil && subtitles == nil) else {
            throw ValidationError("--rendition cannot be combined with --languages or --subtitles.")
        }
        if all { return .all }
        var selection = BundleSelection(includesIFrames: iFrames)
        if variants == ["all"] {
            selection.variants = .all
        } else if !variants.isEmpty {
            selection.variants = .each(try variants.map(Self.variant))
        }
        if !renditions.isEmpty {
            selection.renditions = .matching(try renditions.map(Self.rendition))
        } else if languages != nil || subtitles != nil {
            selection.renditions = .languages(audio: Self.list(languages), subtitles: Self.list(subtitles))
        }
        return selection
    }

    private static func list(_ text: String?) -> [String] { text?.split(separator: ",").map(String.init) ?? [] }

    private static func variant(_ text: String) throws -> VariantQualifier {
        var qualifier = VariantQualifier()
        if text == "best" { return qualifier }
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = word.split(separator: "x", omittingEmptySubsequences: false).map { UInt64($0) }
            if let bandwidth = UInt64(word) {
                qualifier.maximumBandwidth = bandwidth
            } else if sides.count == 2, let width = sides[0], let height = sides[1] {
                qualifier.maximumResolution = Resolution(width: width, height: height)
            } else if word.first?.isLetter == true, word != "all", word != "best" {
                qualifier.codec = String(word)
            } else {
                throw ValidationError(
                    "--variant: expected limits such as 1280x720, 3000000 or hvc1, separated by commas, or best, or all."
                )
            }
        }
        return qualifier
    }

    private static func rendition(_ text: String) throws -> RenditionQualifier {
        var qualifier = RenditionQualifier()
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            switch (sides.first, sides.last) {
            case ("type"?, let value?) where sides.count == 2:
                qualifier.type = MediaTag.MediaType(rawValue: value.uppercased())
            case ("group"?, let value?) where sides.count == 2: qualifier.groupID = value
            case ("language"?, let value?) where sides.count == 2: qualifier.language = value
            default:
                throw ValidationError("--rendition: expected type=…, group=… and language=…, separated by commas.")
            }
        }
        return qualifier
    }
}
