import HLSPlaylist
import StreamPlayer
import VirtualDevice

extension PlayerCapabilities {
    /// Creates the capabilities of a device with a profile. The security level and the output protection are those that
    /// the device reports to the key server; the others are those of a current model:
    ///
    /// | Profile | Video | HDR | Display | Audio channels |
    /// |---|---|---|---|---|
    /// | iphone | H.264 5.2, HEVC 5.2, Dolby Vision 5 and 8 | yes | 2796x1290 | any |
    /// | ipad | the same | yes | 2752x2064 | any |
    /// | mac | the same | yes | 3456x2234 | any |
    /// | vision-pro | the same, and stereoscopic video | yes | 3840x2160 | any |
    /// | apple-tv, partner-tv | H.264 5.1, HEVC 5.1, Dolby Vision 5 and 8 | yes | 3840x2160 | any |
    /// | vm | H.264 4.2, HEVC 4.1 | no | 1920x1080 | any |
    /// | watch | H.264 4.1, HEVC 4.1 | no | 496x416 | 2 |
    init(of profile: DeviceProfile) {
        self = .everything
        keySystems[.fairPlay] =
            profile.securityLevel == .main
            ? ["AppleMain", "AppleBaseline", "Main", "Baseline"] : ["AppleBaseline", "Baseline"]
        switch profile.display {
        case .unprotected: hdcp = .none
        case .hdcpType0: hdcp = .type0
        case .hdcpType1: hdcp = .type1
        }
        let mobile = CodecSupport(Self.entries(h264: 52, hevc: 156) + [Self.dolbyVision])
        switch profile.name {
        case DeviceProfile.iPhone.name: (codecs, displaySize) = (mobile, Resolution(width: 2796, height: 1290))
        case DeviceProfile.iPad.name: (codecs, displaySize) = (mobile, Resolution(width: 2752, height: 2064))
        case DeviceProfile.mac.name: (codecs, displaySize) = (mobile, Resolution(width: 3456, height: 2234))
        case DeviceProfile.visionPro.name:
            (codecs, displaySize) = (mobile, Resolution(width: 3840, height: 2160))
            showsStereo = true
        case DeviceProfile.virtualMachine.name:
            (codecs, displaySize) = (
                CodecSupport(Self.entries(h264: 42, hevc: 123)), Resolution(width: 1920, height: 1080)
            )
            videoRanges = [.sdr]
        case DeviceProfile.appleWatch.name:
            (codecs, displaySize) = (
                CodecSupport(Self.entries(h264: 41, hevc: 123)), Resolution(width: 496, height: 416)
            )
            (videoRanges, maximumAudioChannels) = ([.sdr], 2)
        default:
            codecs = CodecSupport(Self.entries(h264: 51, hevc: 153) + [Self.dolbyVision])
            displaySize = Resolution(width: 3840, height: 2160)
        }
    }

    private static let dolbyVision = CodecSupport.Entry(.dolbyVision, profiles: [5, 8], maximumLevel: 9)

    /// Returns the codecs of all devices, with the highest levels of H.264 and HEVC.
    private static func entries(h264: Int, hevc: Int) -> [CodecSupport.Entry] {
        let others: [Codec.Family] = [
            .mp3, .ac3, .eac3, .alac, .flac, .webVTT, .ttml, .cea608, .cea708,
        ]
        let aac = CodecSupport.Entry(.aac, profiles: [2, 5, 29, 42])
        return [.h264(level: h264), .hevc(level: hevc), aac] + others.map { CodecSupport.Entry($0) }
    }
}
