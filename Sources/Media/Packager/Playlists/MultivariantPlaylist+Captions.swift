import HLSPlaylist

extension MultivariantPlaylist {
    /// Declares the closed captions of video renditions: as renditions of type CLOSED-CAPTIONS, or CLOSED-CAPTIONS=NONE on
    /// all variants if no video has any, so that players offer none (RFC 8216bis, 4.4.6.2). Caption data without
    /// captions, as at the start of a broadcast, declares nothing.
    ///
    /// - Parameter uri: Returns the URI of the variants of a rendition.
    mutating func declareClosedCaptions(of videos: [Rendition], uri: (Rendition) -> String) {
        let found = videos.compactMap(\.captions)
        guard !videos.isEmpty, found.count == videos.count else { return }
        guard found.contains(where: \.isPresent) else {
            for index in variants.indices { variants[index].closedCaptions = StreamInfTag.ClosedCaptions.none }
            return
        }
        var all = ClosedCaptions()
        for captions in found { all.channels.formUnion(captions.channels) }
        let group = "captions"
        let language = videos.lazy.compactMap { TrackLanguage.tag($0.language ?? $0.track.language) }.first
        renditions += all.declared.enumerated().map { index, channel in
            // The language of the video is that of its first captions.
            let tag = index == 0 ? language : nil
            return MediaTag(
                type: .closedCaptions,
                groupID: group,
                language: tag ?? TrackLanguage.undetermined,
                name: tag.map { "\(TrackLanguage.name(of: $0)) (\(channel))" } ?? channel,
                isDefault: false,
                autoselects: index == 0,
                instreamID: channel
            )
        }
        let captioned = Set(videos.filter { $0.captions?.channels.isEmpty == false }.map(uri))
        for index in variants.indices where captioned.contains(variants[index].uri) {
            variants[index].closedCaptions = .group(group)
        }
    }

    /// Sets the protocol version if a tag requires one (RFC 8216bis, 8): 12 for REQ-VIDEO-LAYOUT, 7 for a service of
    /// CEA-708.
    mutating func setVersion() {
        if variants.contains(where: { !$0.requiredVideoLayout.isEmpty }) {
            version = 12
        } else if renditions.contains(where: { $0.instreamID?.hasPrefix("SERVICE") == true }) {
            version = 7
        }
    }
}
