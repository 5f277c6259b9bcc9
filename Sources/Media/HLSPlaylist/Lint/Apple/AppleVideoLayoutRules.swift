extension LintRule {
    /// The rules for spatial video and REQ-VIDEO-LAYOUT.
    static let appleVideoLayoutRules: [LintRule] = [
        attributes(
            "apple-video-layout-missing",
            .error,
            "16.1",
            "a variant with spatial video must have REQ-VIDEO-LAYOUT",
            at: "CODECS"
        ) { attributes in
            guard attributes.requiredVideoLayout.isEmpty,
                let spatial = attributes.videoFormats.first(where: \.isStereoscopic)
            else { return nil }
            return "CODECS has \(ReadingContext.quoted(spatial.text)), a stereoscopic format, but REQ-VIDEO-LAYOUT is "
                + "missing, so devices without spatial video would play the variant: write "
                + "REQ-VIDEO-LAYOUT=\"CH-STEREO\""
        },
        attributes(
            "apple-stereo-codec",
            .error,
            "16.6",
            "stereoscopic video must be MV-HEVC or Dolby Vision profile 20",
            at: "CODECS"
        ) { attributes in
            guard attributes.isStereoscopic, !attributes.isImmersive else { return nil }
            let wrong = attributes.videoFormats.filter { codec in
                codec.family == .dolbyVision ? codec.profile != 20 : codec.family != .hevc
            }
            guard !wrong.isEmpty else { return nil }
            return "REQ-VIDEO-LAYOUT has CH-STEREO, but CODECS has \(LintText.quoted(wrong.map(\.text))): write a "
                + "format of MV-HEVC, or dvh1.20"
        },
        attributes(
            "apple-projection-codec",
            .error,
            "1.38",
            "projected monoscopic video must be HEVC",
            at: "CODECS"
        ) { attributes in
            let isProjected = attributes.layouts.contains { layout in
                layout.specifiers.contains { $0.rawValue.hasPrefix("PROJ-") && $0 != .rectilinear }
            }
            guard isProjected, !attributes.isStereoscopic else { return nil }
            let wrong = attributes.videoFormats.filter { $0.family != .hevc }
            guard !wrong.isEmpty else { return nil }
            return "REQ-VIDEO-LAYOUT has a projection, but CODECS has \(LintText.quoted(wrong.map(\.text))): projected "
                + "video must be HEVC"
        },
        attributes(
            "apple-immersive-layout",
            .error,
            "16.7",
            "PROJ-AIV must be combined with CH-STEREO",
            at: "REQ-VIDEO-LAYOUT"
        ) { attributes in
            let wrong = attributes.layouts.first {
                $0.specifiers.contains(.immersive) && !$0.specifiers.contains(.stereo)
            }
            guard let wrong else { return nil }
            return "REQ-VIDEO-LAYOUT has \(ReadingContext.quoted(wrong.description)), but Apple Immersive Video is "
                + "stereoscopic: write \"CH-STEREO/PROJ-AIV\""
        },
    ]
}

extension Codec {
    /// True for formats that only contain stereoscopic video.
    fileprivate var isStereoscopic: Bool { isMultiviewHEVC || (family == .dolbyVision && profile == 20) }
}
