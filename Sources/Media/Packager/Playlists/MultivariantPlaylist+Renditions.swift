import DRMSignaling
import HLSPlaylist
import MediaFormats

extension MultivariantPlaylist {
    /// Creates the Multivariant Playlist of renditions: a variant for each video rendition with each audio group, or
    /// for each audio group if there is no video.
    ///
    /// - Throws: ``JobFailure`` if the renditions cannot be combined.
    init(_ drafts: [PresentationPlaylists.Draft], _ options: PlaylistOptions) throws {
        self.init()
        let rates = Dictionary(drafts.map { ($0.rendition.folder, $0.bitRate) }, uniquingKeysWith: { $0.maximum($1) })
        let kinds = Dictionary(grouping: drafts, by: \.rendition.track.kind)
        let audio = try RenditionGroups(kinds[.audio, default: []].map(\.rendition), prefix: "audio")
        let subtitles = try RenditionGroups(kinds[.subtitles, default: []].map(\.rendition), prefix: "subtitles")
        let uri = { (rendition: Rendition) in rendition.folder + "/" + options.names.media }

        isIndependentSegments = true
        sessionKeys = Self.sessionKeys(drafts)
        renditions = audio.tags(.audio, uri: uri) + subtitles.tags(.subtitles, uri: uri)
        let builder = VariantBuilder(options: options, rates: rates, uri: uri)
        let videos = kinds[.video, default: []]
        // Clients without other information start with the first variant: the first video, the first audio.
        let choices: [RenditionGroups.Group?] = subtitles.groups.isEmpty ? [nil] : subtitles.groups.map { $0 }
        for choice in choices {
            if videos.isEmpty {
                variants += audio.groups.map { builder.variant(audioOnly: $0, subtitles: choice) }
                continue
            }
            let groups: [RenditionGroups.Group?] = audio.groups.isEmpty ? [nil] : audio.groups.map { $0 }
            for group in groups {
                variants += videos.map { builder.variant($0.rendition, audio: group, subtitles: choice) }
            }
        }
        iFrameVariants = videos.compactMap { builder.iFrameVariant($0) }
        declareClosedCaptions(of: videos.map(\.rendition), uri: uri)
        setVersion()
    }

    /// Returns the distinct keys of all systems, so that clients can request them before they load Media Playlists.
    private static func sessionKeys(_ drafts: [PresentationPlaylists.Draft]) -> [SessionKeyTag] {
        var seen: Set<KeyTag> = []
        return drafts.flatMap(\.keys).filter { seen.insert($0).inserted }.map { SessionKeyTag($0) }
    }
}

/// Creates variants.
private struct VariantBuilder {
    let options: PlaylistOptions
    /// The bit rates of renditions, by folder.
    let rates: [String: BitRate]
    let uri: (Rendition) -> String

    /// Returns the variant of a video rendition with an audio group.
    func variant(
        _ rendition: Rendition,
        audio: RenditionGroups.Group?,
        subtitles: RenditionGroups.Group?
    ) -> Variant {
        var attributes = video(rendition, bitRate: rate(rendition) + rate(audio) + rate(subtitles))
        attributes.codecs += audio?.codecs ?? []
        attributes.frameRate = rendition.frameRate.map { ($0 * 1000).rounded() / 1000 }
        return Variant(
            StreamInfTag(attributes, audio: audio?.id, subtitles: subtitles?.id),
            uri: uri(rendition)
        )
    }

    /// Returns the variant of an audio group without video. Its URI is that of the first member.
    func variant(audioOnly group: RenditionGroups.Group, subtitles: RenditionGroups.Group?) -> Variant {
        let bitRate = rate(group) + rate(subtitles)
        var attributes = VariantAttributes(bandwidth: bitRate.peak, averageBandwidth: bitRate.average)
        attributes.codecs = group.codecs
        let first = group.members.first?.rendition
        if let first { protect(&attributes, first) }
        return Variant(
            StreamInfTag(attributes, audio: group.id, subtitles: subtitles?.id),
            uri: first.map(uri) ?? ""
        )
    }

    /// Returns the I-frame variant of a video rendition.
    func iFrameVariant(_ draft: PresentationPlaylists.Draft) -> IFrameStreamInfTag? {
        guard let bitRate = draft.iFrameBitRate, let name = options.names.iFrames else { return nil }
        return IFrameStreamInfTag(
            video(draft.rendition, bitRate: bitRate),
            uri: draft.rendition.folder + "/" + name
        )
    }

    private func video(_ rendition: Rendition, bitRate: BitRate) -> VariantAttributes {
        let track = rendition.track
        var attributes = VariantAttributes(bandwidth: bitRate.peak, averageBandwidth: bitRate.average)
        attributes.codecs = rendition.codecs
        attributes.supplementalCodecs = track.supplementalCodecs
        attributes.resolution = Resolution(
            width: UInt64(clamping: track.width),
            height: UInt64(clamping: track.height)
        )
        attributes.videoRange = track.videoRange.map { VideoRange(rawValue: $0.rawValue) }
        attributes.requiredVideoLayout = track.videoLayout
        protect(&attributes, rendition)
        return attributes
    }

    private func protect(_ attributes: inout VariantAttributes, _ rendition: Rendition) {
        guard let protection = options.outputProtection(of: rendition) else { return }
        attributes.hdcpLevel = protection.hdcp.map { HDCPLevel(rawValue: $0.rawValue) }
        attributes.allowedCPC = protection.allowedCPC(for: options.systems).flatMap { AllowedCPC($0) }
    }

    private func rate(_ rendition: Rendition) -> BitRate { rates[rendition.folder] ?? .zero }

    /// Returns the bit rate of the most demanding member of a group.
    private func rate(_ group: RenditionGroups.Group?) -> BitRate {
        group?.members.reduce(.zero) { $0.maximum(rate($1.rendition)) } ?? .zero
    }
}
