import MediaFormats

/// Dolby Vision: the sample entry, CODECS, SUPPLEMENTAL-CODECS, VIDEO-RANGE and brands of a track (HLS authoring
/// specification for Apple devices, appendixes; Dolby Vision Streams within the ISO Base Media File Format).
///
///     profile                 sample entry   CODECS       SUPPLEMENTAL-CODECS   VIDEO-RANGE     brands
///     5; 20 for stereo        dvh1           dvh1.05.06                         PQ              dby1
///     8.1: HDR10 base layer   hvc1           hvc1...      dvh1.08.06/db1p       PQ              dby1, db1p
///     8.2: SDR base layer     hvc1           hvc1...      dvh1.08.06/db2g       SDR             dby1, db2g
///     8.4: HLG base layer     hvc1           hvc1...      dvh1.08.06/db4h       HLG             dby1, db4h
///     4 and 7: two layers     hvc1           hvc1...                            of base layer
extension MediaTrack {
    /// The Dolby Vision configuration in the sample entry; nil if there is none.
    var dolbyVision: DolbyVisionConfigurationBox? { sampleEntry?.dolbyVision }

    /// The codec and the brand of Dolby Vision, if players without it display the base layer.
    var dolbyVisionLayer: (codecs: String, brand: String)? {
        guard let sampleEntry, let configuration = dolbyVision, let brand = configuration.brand else { return nil }
        return (configuration.codecs(sampleEntry: sampleEntry.format), "\(brand)")
    }

    /// The SUPPLEMENTAL-CODECS attribute (RFC 8216bis, 4.4.6.2).
    var supplementalCodecs: [String] { dolbyVisionLayer.map { ["\($0.codecs)/\($0.brand)"] } ?? [] }

    /// The compatible brands of the init segment that identify Dolby Vision.
    var brands: [FourCC] {
        guard let configuration = dolbyVision else { return [] }
        if configuration.requiresDolbyVision { return ["dby1"] }
        return configuration.brand.map { ["dby1", $0] } ?? []
    }

    /// Sets the type of the sample entry, CODECS and VIDEO-RANGE from the Dolby Vision configuration. Encoders label a
    /// base layer that every player supports as Dolby Vision, or a profile that only few support as HEVC.
    mutating func applyDolbyVision() {
        guard let entry = sampleEntry else { return }
        let base = entry.format.baseLayerEntry
        guard let configuration = dolbyVision else {
            if entry.format != base {
                notes.append(
                    "the video is labeled as Dolby Vision (\(entry.format)), but has no configuration box (dvcC, dvvC "
                        + "or dvwC): it is signaled as \(base); write the box, for example with a current ffmpeg and "
                        + "-strict unofficial"
                )
            }
            return setSampleEntry(base)
        }
        setSampleEntry(configuration.requiresDolbyVision ? base.dolbyVisionEntry : base)
        if configuration.requiresDolbyVision || configuration.brand != nil {
            videoRange = configuration.dynamicRange
        } else {
            notes.append(
                "Dolby Vision profile \(configuration.profile) has a second layer, which HLS does not support: only the "
                    + "base layer is signaled; convert the video to profile 8.1 for Dolby Vision"
            )
        }
    }

    /// Sets the type of the sample entry, and CODECS accordingly.
    mutating func setSampleEntry(_ type: FourCC) {
        sampleEntry?.format = type
        if let configuration = dolbyVision, configuration.requiresDolbyVision {
            codecs = configuration.codecs(sampleEntry: type)
            return
        }
        switch format {
        case .h264(let configuration): codecs = configuration.codecs(sampleEntry: type)
        case .hevc(let configuration): codecs = configuration.profileTierLevel.codecs(sampleEntry: type)
        case .aac, .ac3, .enhancedAC3, .webVTT: break
        }
    }
}

extension FourCC {
    /// The type of the sample entry for the base layer of Dolby Vision.
    fileprivate var baseLayerEntry: FourCC {
        switch self {
        case "dvh1": "hvc1"
        case "dvhe": "hev1"
        case "dva1": "avc1"
        case "dvav": "avc3"
        default: self
        }
    }

    /// The type of the sample entry for Dolby Vision that has no displayable base layer.
    fileprivate var dolbyVisionEntry: FourCC {
        switch self {
        case "hvc1": "dvh1"
        case "hev1": "dvhe"
        case "avc1": "dva1"
        case "avc3": "dvav"
        default: self
        }
    }
}
