// The terms that the rules of the profile `apple` share.

extension VariantAttributes {
    /// The formats in CODECS, without the spaces around them, which another rule reports.
    var formats: [Codec] { codecs.map { Codec($0) } }
    /// The video formats in CODECS.
    var videoFormats: [Codec] { formats.filter { $0.kind == .video } }
    /// The audio formats in CODECS.
    var audioFormats: [Codec] { formats.filter { $0.kind == .audio } }
    /// True if the tag has a video format or a RESOLUTION.
    var isVideo: Bool { resolution != nil || codecs.contains { Codec.kind(of: $0) == .video } }
    /// True if VIDEO-RANGE is HLG or PQ.
    var isHDR: Bool { videoRange == .hlg || videoRange == .pq }
    /// The entries of REQ-VIDEO-LAYOUT.
    var layouts: [VideoLayout] { requiredVideoLayout.map { VideoLayout($0) } }
    /// True if an entry of REQ-VIDEO-LAYOUT is for stereoscopic video.
    var isStereoscopic: Bool { layouts.contains { $0.specifiers.contains(.stereo) } }
    /// True if an entry of REQ-VIDEO-LAYOUT is for Apple Immersive Video.
    var isImmersive: Bool { layouts.contains { $0.specifiers.contains(.immersive) } }
    /// AVERAGE-BANDWIDTH, or BANDWIDTH if it is absent.
    var averageOrPeak: UInt64 { averageBandwidth ?? bandwidth }
}

extension VideoLayout.Specifier {
    /// Apple Immersive Video, a projection that only Apple's specification defines.
    static let immersive: VideoLayout.Specifier = "PROJ-AIV"
}

extension Codec {
    /// True for AAC-LC and HE-AAC, which every Apple device decodes.
    var isBasicAAC: Bool { family == .aac && [2, 5, 29].contains(profile) }
    /// True for Dolby's formats with more than two channels.
    var isDolbyAudio: Bool { family == .ac3 || family == .eac3 }
    /// True for MV-HEVC, whose profile is Multiview Main.
    var isMultiviewHEVC: Bool { family == .hevc && profile == 6 }
}

extension Resolution {
    /// The number of pixels per row divided by the number of rows; nil for an empty picture.
    var aspectRatio: Double? { width > 0 && height > 0 ? Double(width) / Double(height) : nil }
}

extension MultivariantSubject {
    /// The variants with video.
    var videoVariants: [(variant: Variant, line: PlaylistLine)] {
        variants.filter { $0.variant.streamInf.attributes.isVideo }
    }

    /// The I-frame variants and their attributes.
    var trickPlay: [(attributes: VariantAttributes, line: PlaylistLine)] {
        iFrameVariants.map { ($0.tag.attributes, $0.line) }
    }

    /// Returns the renditions of a type, by GROUP-ID.
    func groups(_ type: MediaTag.MediaType) -> [String: [MediaTag]] {
        Dictionary(grouping: renditions.lazy.map(\.tag).filter { $0.type == type }, by: \.groupID)
    }

    /// True if all video is stereoscopic, so that only Apple Vision Pro plays it.
    var isAllStereoscopic: Bool {
        let video = videoVariants
        return !video.isEmpty && video.allSatisfy { $0.variant.streamInf.attributes.isStereoscopic }
    }
}

extension MediaSubject {
    /// True if the playlist may still grow.
    var isLive: Bool { !playlist.isEnded && playlist.playlistType != .vod }

    /// The path of the first segment in lowercase, or an empty text.
    var firstPath: String { segments.first.map { URIReference.path(of: $0.segment.uri).lowercased() } ?? "" }

    /// True if the segments are WebVTT files.
    var isWebVTT: Bool { firstPath.hasSuffix(".vtt") || firstPath.hasSuffix(".webvtt") }

    /// True if the playlist has an EXT-X-PROGRAM-DATE-TIME.
    var isDated: Bool {
        playlist.upcoming.programDateTime != nil || segments.contains { $0.segment.programDateTime != nil }
    }
}
