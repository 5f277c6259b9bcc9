import HLSPlaylist

/// The Media Playlists that a Multivariant Playlist refers to, each once.
struct PlaylistReferences {
    struct Reference {
        let uri: String
        var roles = MeasuredRendition.Roles()
    }

    /// The references in the order of the tags that first refer to them: variants, renditions, I-frame variants.
    private(set) var references: [Reference] = []
    private var positions: [String: Int] = [:]

    init(_ file: LintFile) {
        guard case .multivariant(let playlist) = file.playlist else { return }
        var variants = playlist.variants.makeIterator()
        var pending: Int?
        var lines: [(role: Role, line: Int)] = []
        for line in file.lines {
            switch line.content {
            case .tag(.streamInf): pending = line.number
            case .refused(.streamInf): pending = nil
            case .uri:
                if let pending, let variant = variants.next() { lines.append((.variant(variant), pending)) }
                pending = nil
            case .tag(.media(let tag)): lines.append((.rendition(tag), line.number))
            case .tag(.iFrameStreamInf(let tag)): lines.append((.iFrames(tag), line.number))
            default: break
            }
        }
        for kind in 0..<3 {
            for (role, line) in lines where role.order == kind { add(role, line, file.name) }
        }
    }

    private enum Role {
        case variant(Variant)
        case rendition(MediaTag)
        case iFrames(IFrameStreamInfTag)

        var order: Int {
            switch self {
            case .variant: 0
            case .rendition: 1
            case .iFrames: 2
            }
        }
    }

    private mutating func add(_ role: Role, _ line: Int, _ base: String) {
        let uri: String
        switch role {
        case .variant(let variant): uri = variant.uri
        case .rendition(let tag):
            guard let own = tag.uri else { return }
            uri = own
        case .iFrames(let tag): uri = tag.uri
        }
        let resolved = URIReference.resolve(uri, against: base)
        let position = positions[resolved] ?? references.count
        if position == references.count {
            positions[resolved] = position
            references.append(Reference(uri: resolved))
        }
        switch role {
        case .variant(let variant): references[position].roles.variants.append((variant, line))
        case .rendition(let tag): references[position].roles.renditions.append((tag, line))
        case .iFrames(let tag): references[position].roles.iFrameVariants.append((tag, line))
        }
    }
}
