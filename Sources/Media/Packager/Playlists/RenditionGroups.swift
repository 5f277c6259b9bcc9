import HLSPlaylist

/// The rendition groups of EXT-X-MEDIA, from which clients choose audio and subtitles (RFC 8216bis, 4.4.6.1.1).
///
/// The members of an audio group have the same codec and number of channels, so that the CODECS attribute of a variant
/// is exact. However, all groups must have the same members: if a group has no rendition of a kind (English exists in
/// surround, but the commentary only in stereo), it includes the rendition of the first group that has one.
struct RenditionGroups {
    /// A rendition as a member of a group.
    struct Member {
        /// The rendition.
        var rendition: Rendition
        /// The identity, which is the same in all groups.
        var identity: Identity
    }

    /// A group.
    struct Group {
        /// GROUP-ID.
        var id: String
        /// The members, in the order of the presentation.
        var members: [Member]

        /// The distinct codecs of all members.
        var codecs: [String] {
            var codecs: [String] = []
            for codec in members.flatMap(\.rendition.codecs) where !codecs.contains(codec) { codecs.append(codec) }
            return codecs
        }
    }

    /// The attributes by which a viewer chooses.
    struct Identity: Hashable {
        /// NAME.
        var name: String
        /// LANGUAGE.
        var language: String?
        /// The role.
        var role: TrackRole?
    }

    /// The groups, in the order of their first renditions.
    private(set) var groups: [Group] = []
    /// The identities of all renditions, in order.
    private(set) var identities: [Identity] = []

    /// Divides renditions of one kind into groups.
    ///
    /// - Throws: ``JobFailure`` if a named group has two renditions with the same attributes.
    init(_ renditions: [Rendition], prefix: String) throws(JobFailure) {
        var keys: [Key] = []
        for rendition in renditions {
            let identity = Self.identity(rendition, among: identities)
            if !identities.contains(identity) { identities.append(identity) }
            let key = Key(rendition)
            let groupIndex = groups.indices.first { index in
                keys[index] == key && !groups[index].members.contains { $0.identity == identity }
            }
            if let groupIndex {
                groups[groupIndex].members.append(Member(rendition: rendition, identity: identity))
                continue
            }
            if let name = rendition.group, groups.contains(where: { $0.id == name }) {
                throw JobFailure(
                    "input",
                    "the group “\(name)” has two renditions named “\(identity.name)”, or two codecs: give them "
                        + "different names, or put them in different groups"
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

    /// The attributes that determine the group.
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

    /// Returns the identity of a rendition. Renditions with the same language and role but different names have
    /// different identities; if only the name is the same, a number is added to it.
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

    /// Completes every group with all members, in the same order.
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
    /// Returns the EXT-X-MEDIA tags of all groups.
    ///
    /// - Parameter uri: Returns the URI of a rendition's Media Playlist.
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
                    language: identity.language ?? TrackLanguage.undetermined,
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

    /// The rendition to play without a user preference: the first that is the main program.
    private var defaultIdentity: Identity? {
        identities.first { $0.role == .main }
            ?? identities.first {
                ![.commentary, .description, .enhancedAudioIntelligibility, .alternate].contains($0.role)
            } ?? identities.first
    }

    /// Returns the renditions that a client may choose without user action: of several with the same attributes, the
    /// default or the first; commentary only on request.
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
    /// Returns the CHARACTERISTICS attribute (RFC 8216bis, 4.4.6.1; Apple's media characteristics).
    fileprivate func characteristics(_ type: MediaTag.MediaType) -> [String] {
        switch (role, type) {
        case (.description, .audio): ["public.accessibility.describes-video"]
        case (.enhancedAudioIntelligibility, .audio): ["public.accessibility.enhances-speech-intelligibility"]
        case (.caption, .subtitles):
            ["public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound"]
        case (.easyReader, .subtitles): ["public.easy-to-read"]
        default: []
        }
    }
}
