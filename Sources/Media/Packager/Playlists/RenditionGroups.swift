import HLSPlaylist

/// The groups of EXT-X-MEDIA: which renditions clients may choose from, for audio and for subtitles (RFC 8216bis,
/// 4.4.6.1.1).
///
/// A group of audio has one codec and one number of channels, so that CODECS of a variant says exactly what is in it.
/// Groups must have the same members, though: where a group lacks a rendition (English is there in surround, the
/// commentary only in stereo), the one of the first group that has it stands in.
struct RenditionGroups {
    /// A rendition as a member of a group.
    struct Member {
        /// The rendition.
        var rendition: Rendition
        /// The same in all groups.
        var identity: Identity
    }

    /// A group.
    struct Group {
        /// GROUP-ID.
        var id: String
        /// In the order of the presentation.
        var members: [Member]

        /// The codecs of all members, each once.
        var codecs: [String] {
            var codecs: [String] = []
            for member in members where !codecs.contains(member.rendition.track.codecs) {
                codecs.append(member.rendition.track.codecs)
            }
            return codecs
        }
    }

    /// What a person chooses by.
    struct Identity: Hashable {
        /// NAME.
        var name: String
        /// LANGUAGE.
        var language: String?
        /// What it is for.
        var role: TrackRole?
    }

    /// The groups, in the order of their first renditions.
    private(set) var groups: [Group] = []
    /// All that there is to choose from, in order.
    private(set) var identities: [Identity] = []

    /// Sorts renditions of one kind into groups.
    ///
    /// - Throws: ``JobFailure`` when a group that was named has two renditions that nobody can tell apart.
    init(_ renditions: [Rendition], prefix: String) throws(JobFailure) {
        var keys: [Key] = []
        for rendition in renditions {
            let identity = Self.identity(rendition, among: identities)
            if !identities.contains(identity) { identities.append(identity) }
            let key = Key(rendition)
            let place = groups.indices.first { index in
                keys[index] == key && !groups[index].members.contains { $0.identity == identity }
            }
            if let place {
                groups[place].members.append(Member(rendition: rendition, identity: identity))
                continue
            }
            if let name = rendition.group, groups.contains(where: { $0.id == name }) {
                throw JobFailure(
                    "input",
                    "the group “\(name)” has two renditions “\(identity.name)”, or two codecs: give them different names, or "
                        + "groups of their own"
                )
            }
            keys.append(key)
            groups.append(
                Group(
                    id: rendition.group ?? uniqueID(key.idStem(prefix: prefix)),
                    members: [Member(rendition: rendition, identity: identity)]
                )
            )
        }
        fill()
    }

    /// What decides the group.
    private struct Key: Hashable {
        var group: String?
        var codecs: String
        var channels: String?
        var format: String

        init(_ rendition: Rendition) {
            group = rendition.group
            let track = rendition.track
            codecs = track.codecs
            channels = track.kind == .audio ? track.channels : nil
            format =
                switch track.format {
                case .h264: "h264"
                case .hevc: "hevc"
                case .aac: "aac"
                case .ac3: "ac3"
                case .enhancedAC3: "ec3"
                case .webVTT: ""
                }
        }

        func idStem(prefix: String) -> String { format.isEmpty ? prefix : "\(prefix)-\(format)" }
    }

    /// Two renditions of one language and role that have different names are two identities; of one name and two
    /// languages or roles, the name must tell them apart.
    private static func identity(_ rendition: Rendition, among known: [Identity]) -> Identity {
        let language = (rendition.language ?? rendition.track.language)
        var identity = Identity(
            name: rendition.name,
            language: TrackLanguage.tag(language),
            role: rendition.role.flatMap(TrackRole.init(rawValue:))
        )
        var number = 1
        while !known.contains(identity), known.contains(where: { $0.name == identity.name }) {
            number += 1
            identity.name = "\(rendition.name) (\(number))"
        }
        return identity
    }

    private func uniqueID(_ stem: String) -> String {
        var id = stem
        var number = 1
        while groups.contains(where: { $0.id == id }) {
            number += 1
            id = "\(stem)-\(number)"
        }
        return id
    }

    /// Gives every group all members, in one order.
    private mutating func fill() {
        let all = identities.compactMap { identity in
            groups.lazy.compactMap { $0.members.first { $0.identity == identity } }.first
        }
        for index in groups.indices {
            groups[index].members = all.map { fallback in
                groups[index].members.first { $0.identity == fallback.identity } ?? fallback
            }
        }
    }
}

extension RenditionGroups {
    /// The EXT-X-MEDIA tags, group by group.
    ///
    /// - Parameter uri: Gives the Media Playlist of a rendition.
    func tags(_ type: MediaTag.MediaType, uri: (Rendition) -> String) -> [MediaTag] {
        let standard = type == .audio ? defaultIdentity : nil
        let autoselected = autoselected(standard)
        return groups.flatMap { group in
            group.members.map { member in
                let identity = member.identity
                return MediaTag(
                    type: type,
                    uri: uri(member.rendition),
                    groupID: group.id,
                    language: identity.language,
                    name: identity.name,
                    isDefault: identity == standard,
                    autoselects: autoselected.contains(identity),
                    isForced: type == .subtitles && identity.role == .forcedSubtitle ? true : nil,
                    characteristics: identity.characteristics(type),
                    channels: type == .audio ? member.rendition.track.channels ?? "2" : nil
                )
            }
        }
    }

    /// What is played when nobody says otherwise: the first that is the main program.
    private var defaultIdentity: Identity? {
        identities.first { $0.role == .main }
            ?? identities.first { ![.commentary, .description, .alternate].contains($0.role) } ?? identities.first
    }

    /// What a client may choose by itself: of several that it cannot tell apart, the default or the first; commentary
    /// only when somebody asks for it.
    private func autoselected(_ standard: Identity?) -> Set<Identity> {
        struct Choice: Hashable {
            var language: String?
            var characteristics: [String]
            var isForced: Bool

            init(_ identity: Identity) {
                language = identity.language?.lowercased()
                characteristics = identity.characteristics(.audio) + identity.characteristics(.subtitles)
                isForced = identity.role == .forcedSubtitle
            }
        }
        var chosen: [Choice: Identity] = [:]
        if let standard { chosen[Choice(standard)] = standard }
        for identity in identities where identity.role != .commentary {
            let choice = Choice(identity)
            if chosen[choice] == nil { chosen[choice] = identity }
        }
        return Set(chosen.values)
    }
}

extension RenditionGroups.Identity {
    /// CHARACTERISTICS (RFC 8216bis, 4.4.6.1; Apple's media characteristics).
    fileprivate func characteristics(_ type: MediaTag.MediaType) -> [String] {
        switch (role, type) {
        case (.description, .audio): ["public.accessibility.describes-video"]
        case (.caption, .subtitles):
            ["public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound"]
        case (.easyReader, .subtitles): ["public.easy-to-read"]
        default: []
        }
    }
}
