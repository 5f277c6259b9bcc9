import DASHManifest
import DRMSignaling
import MediaFormats

/// Renditions between which a player may switch without another key: an AdaptationSet of DASH.
struct ManifestSet {
    /// What its members have in common.
    struct Identity: Hashable {
        var kind: MediaTrack.Kind
        /// The beginning of the codecs' names: what a decoder is chosen by.
        var codec: Substring
        /// Its key ID; nil: it is clear.
        var keyID: [UInt8]?
        var language: String?
        var role: String?
        /// Of audio and subtitles, which people choose by it.
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

        /// Whether another one is the same content under another key.
        func differsByKey(from other: Identity) -> Bool {
            var copy = other
            copy.keyID = keyID
            return copy == self && other.keyID != keyID
        }
    }

    /// What the members have in common.
    var identity: Identity
    /// Its members, in the order of the presentation.
    var parts: [ManifestPeriod.Part]

    /// The sets of a period: video first, then audio, then subtitles.
    static func all(_ period: ManifestPeriod) -> [ManifestSet] {
        var sets: [ManifestSet] = []
        for kind in [MediaTrack.Kind.video, .audio, .subtitles] {
            for part in period.parts where part.rendition.track.kind == kind {
                let identity = Identity(part)
                if kind != .subtitles, let place = sets.firstIndex(where: { $0.identity == identity }) {
                    sets[place].parts.append(part)
                } else {
                    sets.append(ManifestSet(identity: identity, parts: [part]))
                }
            }
        }
        return sets
    }

    /// What it is for. Without a word from the job the first of a kind is the main program.
    func roles(isFirst: Bool) -> [Descriptor] {
        if let role = identity.role { return [.role(role)] }
        if identity.kind == .subtitles { return [.role("subtitle")] }
        return isFirst ? [.role("main")] : []
    }

    /// Whom it helps (DASH-IF IOP, 3.9.4).
    var accessibility: [Descriptor] {
        switch identity.role {
        case "description": [Descriptor(scheme: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "1")]
        case "caption": [Descriptor(scheme: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "2")]
        default: []
        }
    }

    /// What decoders and displays may want to know: how light is coded (ISO/IEC 23001-8), and objects in E-AC-3.
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
