/// A Multivariant Playlist together with its Media Playlists.
struct PresentationSubject: Sendable {
    /// The tag of the Multivariant Playlist that refers to a Media Playlist.
    enum Role: Sendable {
        case variant(Variant)
        case rendition(MediaTag)
        case iFrameVariant(IFrameStreamInfTag)

        /// The URI as in the tag.
        var uri: String? {
            switch self {
            case .variant(let variant): variant.uri
            case .rendition(let tag): tag.uri
            case .iFrameVariant(let tag): tag.uri
            }
        }
    }

    /// A reference to a Media Playlist, which may be missing or unreadable.
    struct Reference: Sendable {
        let role: Role
        /// The line of the tag in the Multivariant Playlist.
        let line: PlaylistLine
        /// The resolved URI.
        let uri: String
        /// The playlist at the URI; nil when it cannot be read.
        let file: LintFile?
        /// The playlist at the URI, if it is a Media Playlist that can be checked; otherwise nil.
        let media: MediaSubject?
    }

    /// A Media Playlist and its roles in the presentation.
    struct Member: Sendable {
        let media: MediaSubject
        /// True if an EXT-X-STREAM-INF tag refers to it.
        var isVariant = false
        /// True if an EXT-X-I-FRAME-STREAM-INF tag refers to it.
        var isIFrameVariant = false
        /// True if it is a subtitles rendition.
        var isSubtitles = false
    }

    let multivariant: MultivariantSubject
    /// The references of the variants, then of the renditions, then of the I-frame variants, each in the order of the
    /// tags. A playlist to which several tags refer appears several times.
    let references: [Reference]
    /// The Media Playlists without duplicates and with their roles, in the order of the tags that first refer to them.
    let members: [Member]

    private let options: LintOptions

    /// Returns whether a Media Playlist is declared to be clear.
    func isIntendedClear(_ reference: Reference) -> Bool {
        options.clearPlaylists.contains(reference.uri) || options.clearPlaylists.contains(reference.role.uri ?? "")
    }

    /// The Media Playlists without duplicates, in the order of the tags that first refer to them.
    var mediaPlaylists: [MediaSubject] { members.map(\.media) }

    init(multivariant: MultivariantSubject, references: [Reference], options: LintOptions) {
        self.options = options
        self.multivariant = multivariant
        self.references = references
        var members: [Member] = []
        var positions: [String: Int] = [:]
        for reference in references {
            guard let media = reference.media else { continue }
            let position = positions[media.file.name] ?? members.count
            if position == members.count {
                positions[media.file.name] = position
                members.append(Member(media: media))
            }
            switch reference.role {
            case .variant: members[position].isVariant = true
            case .iFrameVariant: members[position].isIFrameVariant = true
            case .rendition(let tag): if tag.type == .subtitles { members[position].isSubtitles = true }
            }
        }
        self.members = members
    }
}

extension PresentationSubject {
    init(_ multivariant: MultivariantSubject, _ options: LintOptions, load: (String) -> LintFile?) {
        // A playlist to which many tags refer is loaded only once, and its lines are matched only once.
        var loaded: [String: (file: LintFile?, media: MediaSubject?)] = [:]
        func reference(_ role: Role, _ line: PlaylistLine, _ uri: String) -> Reference {
            let resolved = URIReference.resolve(uri, against: multivariant.file.name)
            let found: (file: LintFile?, media: MediaSubject?)
            if let known = loaded[resolved] {
                found = known
            } else {
                let file = load(resolved)
                found = (file, file.flatMap { $0.isCheckable ? MediaSubject($0) : nil })
                loaded[resolved] = found
            }
            return Reference(role: role, line: line, uri: resolved, file: found.file, media: found.media)
        }
        var references: [Reference] = []
        for (variant, line) in multivariant.variants {
            references.append(reference(.variant(variant), line, variant.uri))
        }
        for (tag, line) in multivariant.renditions {
            if let uri = tag.uri { references.append(reference(.rendition(tag), line, uri)) }
        }
        for (tag, line) in multivariant.iFrameVariants {
            references.append(reference(.iFrameVariant(tag), line, tag.uri))
        }
        self.init(multivariant: multivariant, references: references, options: options)
    }
}
