import HLSPlaylist
import TextCoding
import ToolSupport

extension PlaylistOverview {
    /// Creates an overview of a Multivariant Playlist.
    init(_ playlist: MultivariantPlaylist) {
        var fields = FieldCollector()
        fields.add("version", .optional(playlist.version))
        fields.add("independent segments", .yes(playlist.isIndependentSegments))
        fields.add("start", .optional(playlist.start?.summary))
        fields.add("variables", .nonEmpty(playlist.defines.descriptions))
        fields.add("steering manifest", .optional(uri: playlist.contentSteering?.serverURI))
        fields.add("first pathway", .optional(playlist.contentSteering?.pathwayID))
        let counts = [
            (playlist.variants.count, "variant"), (playlist.renditions.count, "rendition"),
            (playlist.iFrameVariants.count, "I-frame variant"), (playlist.sessionKeys.count, "session key"),
        ]
        let texts = counts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
        self.init(
            kind: .multivariant,
            headline: "Multivariant Playlist, " + (texts.isEmpty ? "empty" : texts.joined(separator: ", ")),
            tables: [FieldTable(title: "Playlist", fields: fields.fields)],
            grids: [
                Self.variants(playlist.variants), Self.iFrameVariants(playlist.iFrameVariants),
                Self.renditions(playlist.renditions), Self.sessionKeys(playlist.sessionKeys),
                Self.sessionData(playlist.sessionData),
            ]
        )
    }

    private static let variantColumns = [
        "bandwidth", "average", "resolution", "frame rate", "codecs", "range", "HDCP", "CPC",
    ]
    private static let moreVariantColumns = [
        "score", "supplemental codecs", "video layout", "pathway", "stable ID", "URI", "other",
    ]

    private static func cells(_ variant: VariantAttributes) -> [FieldValue?] {
        [
            .number(variant.bandwidth),
            .optional(variant.averageBandwidth),
            .optional(variant.resolution?.description),
            .optional(variant.frameRate),
            .nonEmpty(variant.codecs),
            .optional(variant.videoRange?.rawValue),
            .optional(variant.hdcpLevel?.rawValue),
            .optional(variant.allowedCPC?.description),
        ]
    }

    private static func moreCells(_ variant: VariantAttributes, uri: String) -> [FieldValue?] {
        [
            .optional(variant.score),
            .nonEmpty(variant.supplementalCodecs),
            .nonEmpty(variant.requiredVideoLayout),
            .optional(variant.pathwayID),
            .optional(variant.stableVariantID),
            .uri(uri),
            .others(variant.otherAttributes),
        ]
    }

    /// Returns the values that identify a variant, even if its other attributes change.
    private static func identity(_ variant: VariantAttributes, uri: String) -> [FieldValue] {
        guard let id = variant.stableVariantID else { return [.uri(uri)] }
        return [.text(id)] + (variant.pathwayID.map { [.text($0)] } ?? [])
    }

    private static func variants(_ variants: [Variant]) -> Grid {
        var grid = Grid(
            title: "Variants",
            columns: variantColumns + ["audio", "video", "subtitles", "closed captions"] + moreVariantColumns
        )
        grid.rows = variants.map { variant in
            let captions: String?
            switch variant.streamInf.closedCaptions {
            case .some(.none): captions = "NONE"
            case .group(let group)?: captions = group
            case nil: captions = nil
            }
            let groups: [FieldValue?] = [
                .optional(variant.streamInf.audio), .optional(variant.video),
                .optional(variant.streamInf.subtitles), .optional(captions),
            ]
            let attributes = variant.streamInf.attributes
            return Grid.Row(
                identity: identity(attributes, uri: variant.uri),
                cells: cells(attributes) + groups + moreCells(attributes, uri: variant.uri)
            )
        }
        return grid
    }

    private static func iFrameVariants(_ variants: [IFrameStreamInfTag]) -> Grid {
        var grid = Grid(title: "I-frame variants", columns: variantColumns + ["video"] + moreVariantColumns)
        grid.rows = variants.map { variant in
            Grid.Row(
                identity: identity(variant.attributes, uri: variant.uri),
                cells: cells(variant.attributes) + [.optional(variant.attributes.video)]
                    + moreCells(variant.attributes, uri: variant.uri)
            )
        }
        return grid
    }

    private static func renditions(_ renditions: [MediaTag]) -> Grid {
        var grid = Grid(
            title: "Renditions",
            columns: [
                "type", "group", "name", "language", "associated language", "default", "autoselect", "forced",
                "channels", "in stream", "bit depth", "sample rate", "characteristics", "stable ID", "URI", "other",
            ]
        )
        grid.rows = renditions.map { tag in
            Grid.Row(
                identity: [.text(tag.type.rawValue), .text(tag.groupID), .text(tag.name)]
                    + (tag.language.map { [.text($0)] } ?? []),
                cells: [
                    .text(tag.type.rawValue), .text(tag.groupID), .text(tag.name), .optional(tag.language),
                    .optional(tag.associatedLanguage), .optional(tag.isDefault), .optional(tag.autoselects),
                    .optional(tag.isForced), .optional(tag.channels), .optional(tag.instreamID),
                    .optional(tag.bitDepth), .optional(tag.sampleRate), .nonEmpty(tag.characteristics),
                    .optional(tag.stableRenditionID), .optional(uri: tag.uri), .others(tag.otherAttributes),
                ]
            )
        }
        return grid
    }

    private static func sessionKeys(_ tags: [SessionKeyTag]) -> Grid {
        var grid = Grid(title: "Session keys", columns: ["key format", "method", "versions", "IV", "URI", "other"])
        grid.rows = tags.map { tag in
            Grid.Row(
                identity: [.text(tag.key.keyFormat.rawValue), .uri(tag.key.uri ?? "")],
                cells: [
                    .text(tag.key.keyFormat.rawValue), .text(tag.key.method.rawValue),
                    .optional(tag.key.keyFormatVersions), .optional(tag.key.explicitIV), .optional(uri: tag.key.uri),
                    .others(tag.key.otherAttributes),
                ]
            )
        }
        return grid
    }

    private static func sessionData(_ tags: [SessionDataTag]) -> Grid {
        var grid = Grid(title: "Session data", columns: ["ID", "value", "language", "format", "URI", "other"])
        grid.rows = tags.map { tag in
            Grid.Row(
                identity: [.text(tag.dataID)] + (tag.language.map { [.text($0)] } ?? []),
                cells: [
                    .text(tag.dataID), .optional(tag.value), .optional(tag.language),
                    .optional(tag.format?.rawValue), .optional(uri: tag.uri), .others(tag.otherAttributes),
                ]
            )
        }
        return grid
    }
}

extension KeyTag {
    /// The IV attribute.
    var explicitIV: String? { iv.map { "0x" + Hexadecimal.encode($0.bytes) } }

    /// The source of a segment's initialization vector.
    var rule: String {
        switch (method, keyFormat) {
        case (_, .fairPlay): "with the key"
        case (.none, _), (.aes256GCM, _), (.sampleAESCTR, _): "not in the playlist"
        default: explicitIV ?? (keyFormat == .identity ? "media sequence number" : "not in the playlist")
        }
    }
}
