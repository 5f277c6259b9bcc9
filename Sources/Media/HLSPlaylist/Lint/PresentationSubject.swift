/// A Multivariant Playlist together with its Media Playlists.
struct PresentationSubject: Sendable {
    /// How a Media Playlist is reached.
    enum Role: Sendable {
        case variant(Variant)
        case rendition(MediaTag)
        case iFrameVariant(IFrameStreamInfTag)
    }

    /// A Media Playlist, or the lack of one.
    struct Reference: Sendable {
        let role: Role
        /// The line of the tag in the Multivariant Playlist.
        let line: PlaylistLine
        /// The URI, resolved.
        let uri: String
        /// What is there; nil when it cannot be read.
        let file: LintFile?
        /// What is there, if it is a Media Playlist that can be judged.
        let media: MediaSubject?
    }

    /// A Media Playlist, and what it is in the presentation.
    struct Member: Sendable {
        let media: MediaSubject
        /// Whether an EXT-X-STREAM-INF tag names it.
        var isVariant = false
        /// Whether an EXT-X-I-FRAME-STREAM-INF tag names it.
        var isIFrameVariant = false
        /// Whether it is a rendition of subtitles.
        var isSubtitles = false
    }

    let multivariant: MultivariantSubject
    /// Variants first, then renditions, then I-frame variants, each in the order of the tags that name them. A playlist
    /// that several tags name comes several times.
    let references: [Reference]
    /// The Media Playlists, each once, in the order of the tags that first name them.
    let members: [Member]

    /// The Media Playlists, each once, in the order of the tags that first name them.
    var mediaPlaylists: [MediaSubject] { members.map(\.media) }

    init(multivariant: MultivariantSubject, references: [Reference]) {
        self.multivariant = multivariant
        self.references = references
        var members: [Member] = []
        var places: [String: Int] = [:]
        for reference in references {
            guard let media = reference.media else { continue }
            let place = places[media.file.name] ?? members.count
            if place == members.count {
                places[media.file.name] = place
                members.append(Member(media: media))
            }
            switch reference.role {
            case .variant: members[place].isVariant = true
            case .iFrameVariant: members[place].isIFrameVariant = true
            case .rendition(let tag): if tag.type == .subtitles { members[place].isSubtitles = true }
            }
        }
        self.members = members
    }
}

extension PresentationSubject {
    init(_ multivariant: MultivariantSubject, load: (String) -> LintFile?) {
        // A playlist that many tags name is read once, and its lines are joined once.
        var loaded: [String: (file: LintFile?, media: MediaSubject?)] = [:]
        func reference(_ role: Role, _ line: PlaylistLine, _ uri: String) -> Reference {
            let resolved = URIReference.resolve(uri, against: multivariant.file.name)
            let found: (file: LintFile?, media: MediaSubject?)
            if let known = loaded[resolved] {
                found = known
            } else {
                let file = load(resolved)
                found = (file, file.flatMap { $0.isJudged ? MediaSubject($0) : nil })
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
        self.init(multivariant: multivariant, references: references)
    }
}
