import Foundation
import MediaFormats
import SampleEncryption

extension TrackProtection {
    /// Returns the sample encryption scheme in fragmented MP4; nil if the scheme does not encrypt samples in fragmented
    /// MP4.
    func sampleScheme(_ kind: MediaTrack.Kind) -> ProtectionScheme? {
        switch scheme {
        case .cbcs: kind == .video ? .cbcsVideo : .cbcsAudio
        case .cenc: .cenc
        case .sampleAES, .aes128: nil
        }
    }

    /// Returns the `tenc` box. For cbcs: one block of ten for video, all whole blocks for audio, a constant
    /// initialization vector (ISO/IEC 23001-7, 10.4). For cenc: no pattern and no constant vector, so the box has
    /// version 0 (10.1).
    func trackEncryption(_ kind: MediaTrack.Kind) -> TrackEncryptionBox {
        if scheme == .cenc {
            let size = UInt8(clamping: iv?.count ?? 8)
            return TrackEncryptionBox(cryptByteBlock: 0, skipByteBlock: 0, perSampleIVSize: size, keyID: keyID)
        }
        return TrackEncryptionBox(
            cryptByteBlock: kind == .video ? 1 : 0,
            skipByteBlock: kind == .video ? 9 : 0,
            keyID: keyID,
            constantIV: iv?.bytes ?? []
        )
    }
}

extension MediaTrack {
    /// The handler type in MP4.
    var handler: FourCC {
        switch kind {
        case .video: "vide"
        case .audio: "soun"
        case .subtitles: "text"
        }
    }

    /// The ISO 639-2/T code for `mdhd`.
    var threeLetterLanguage: String {
        let primary = language.split(separator: "-").first.map(String.init) ?? "und"
        if primary.count == 3 { return primary.lowercased() }
        return Locale.LanguageCode(primary).identifier(.alpha3) ?? "und"
    }

    /// The language tag for `elng`; nil if the three-letter code is sufficient.
    var extendedLanguage: String? { language.count == 3 ? nil : language }
}
