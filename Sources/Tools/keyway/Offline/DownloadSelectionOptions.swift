import ArgumentParser
import HLSPlaylist
import OfflineAssets
import ToolSupport

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
    var variants: [VariantArgument] = []

    @Option(
        help: .init(
            "Audio languages, separated by commas: one rendition for each. (default: the audio "
                + "renditions that a player selects without preferences)",
            valueName: "list"
        )
    )
    var languages: CommaList<String>?

    @Option(
        help: .init(
            "Subtitle languages, separated by commas: one rendition for each. (default: the subtitles "
                + "that a player selects without preferences)",
            valueName: "list"
        )
    )
    var subtitles: CommaList<String>?

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
    var renditions: [RenditionArgument] = []

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
        let qualifiers = variants.compactMap(\.qualifier)
        if qualifiers.count < variants.count {
            guard variants.count == 1 else { throw ValidationError("--variant all excludes other --variant options.") }
            selection.variants = .all
        } else if !variants.isEmpty {
            selection.variants = .each(qualifiers)
        }
        if !renditions.isEmpty {
            selection.renditions = .matching(renditions.map(\.qualifier))
        } else if languages != nil || subtitles != nil {
            selection.renditions = .languages(audio: languages?.elements ?? [], subtitles: subtitles?.elements ?? [])
        }
        return selection
    }
}

/// The limits of a variant on the command line.
///
///     variant = "best" | "all" | limit *( "," limit )
///     limit   = WIDTH "x" HEIGHT | BANDWIDTH | CODEC
struct VariantArgument: ExpressibleByArgument, Sendable {
    /// The limits; nil for all variants.
    let qualifier: VariantQualifier?

    init?(argument: String) {
        guard argument != "all" else {
            qualifier = nil
            return
        }
        var qualifier = VariantQualifier()
        for word in argument == "best" ? [] : argument.split(separator: ",", omittingEmptySubsequences: false) {
            if let bandwidth = UInt64(word) {
                qualifier.maximumBandwidth = bandwidth
            } else if let resolution = ResolutionArgument(argument: String(word)) {
                qualifier.maximumResolution = resolution.value
            } else if word.first?.isLetter == true, word != "all", word != "best" {
                qualifier.codec = String(word)
            } else {
                return nil
            }
        }
        self.qualifier = qualifier
    }
}

/// A filter of renditions on the command line.
///
///     filter = part *( "," part )
///     part   = ( "type" | "group" | "language" ) "=" VALUE
struct RenditionArgument: ExpressibleByArgument, Sendable {
    let qualifier: RenditionQualifier

    init?(argument: String) {
        var qualifier = RenditionQualifier()
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2 else { return nil }
            switch sides[0] {
            case "type": qualifier.type = MediaTag.MediaType(rawValue: sides[1].uppercased())
            case "group": qualifier.groupID = sides[1]
            case "language": qualifier.language = sides[1]
            default: return nil
            }
        }
        self.qualifier = qualifier
    }
}
