import DASHManifest
import DRMSignaling
import MediaFormats

/// Renditions between which a player may switch without requesting another key: an AdaptationSet in DASH.
struct ManifestSet {
    /// The properties that all members share.
    struct Identity: Hashable {
        var kind: MediaTrack.Kind
        /// The first characters of the CODECS value, which determine the decoder.
        var codec: Substring
        /// The key ID; nil if clear.
        var keyID: [UInt8]?
        var language: String?
        var role: String?
        /// The name of audio and subtitles, from which viewers choose.
        var name: String?
        var channels: String?
        var transfer: String?

        init(_ part: ManifestPeriod.Part) {
            let rendition = part.rendition
            kind = rendition.track.kind
            codec = rendition.track.codecs.prefix(4)
            keyID = part.protection?.keyID
            language = kind == .video ? nil : rendition.language
            role = rendition.role
            name = kind == .video ? nil : rendition.name
            channels = rendition.track.channels
            transfer = rendition.track.videoRange?.rawValue
        }

        /// Returns whether another set has the same content with another key.
        func differsByKey(from other: Identity) -> Bool {
            var copy = other
            copy.keyID = keyID
            return copy == self && other.keyID != keyID
        }
    }

    /// The properties that all members share.
    var identity: Identity
    /// The members, in the order of the presentation.
    var parts: [ManifestPeriod.Part]

    /// Returns the sets of a period: video first, then audio, then subtitles.
    static func all(_ parts: [ManifestPeriod.Part]) -> [ManifestSet] {
        var sets: [ManifestSet] = []
        for kind in [MediaTrack.Kind.video, .audio, .subtitles] {
            for part in parts where part.rendition.track.kind == kind {
                let identity = Identity(part)
                if kind != .subtitles, let index = sets.firstIndex(where: { $0.identity == identity }) {
                    sets[index].parts.append(part)
                } else {
                    sets.append(ManifestSet(identity: identity, parts: [part]))
                }
            }
        }
        return sets
    }

    /// Returns the roles. If the job specifies none, the first set of a kind is the main program.
    func roles(isFirst: Bool) -> [Descriptor] {
        if let role = identity.role { return [.role(role)] }
        if identity.kind == .subtitles { return [.role("subtitle")] }
        return isFirst ? [.role("main")] : []
    }

    /// The accessibility descriptors (DASH-IF IOP, 3.9.4).
    var accessibility: [Descriptor] {
        switch identity.role {
        case "description": [Descriptor(scheme: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "1")]
        case "caption", "enhanced-audio-intelligibility":
            [Descriptor(scheme: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "2")]
        default: []
        }
    }

    /// Supplemental properties for decoders and displays: the transfer characteristics (ISO/IEC 23001-8), and Dolby
    /// Atmos in E-AC-3.
    var properties: [Descriptor] {
        let transfer = "urn:mpeg:mpegB:cicp:TransferCharacteristics"
        return switch (identity.transfer, identity.channels?.hasSuffix("/JOC")) {
        case ("PQ", _): [Descriptor(scheme: transfer, value: "16")]
        case ("HLG", _): [Descriptor(scheme: transfer, value: "18")]
        case (_, true): [Descriptor(scheme: "tag:dolby.com,2018:dash:EC3_ExtensionType:2018", value: "JOC")]
        default: []
        }
    }
}
