import TextCoding

extension H264SequenceParameterSet {
    /// Returns the H.264 codec string for a CODECS attribute (RFC 6381, 3.3; ISO/IEC 14496-15, Annex E), for example
    /// `avc1.64001f`.
    ///
    /// - Parameter sampleEntry: `avc1`, or `avc3` if the parameter sets are in the samples.
    public func codecs(sampleEntry: FourCC = "avc1") -> String {
        CodecsString.h264(sampleEntry, profile: profile, constraints: constraints, level: level)
    }
}

extension AVCConfigurationBox {
    /// Returns the H.264 codec string for a CODECS attribute (RFC 6381, 3.3; ISO/IEC 14496-15, Annex E), for example
    /// `avc1.64001f`.
    public func codecs(sampleEntry: FourCC = "avc1") -> String {
        CodecsString.h264(sampleEntry, profile: profile, constraints: compatibility, level: level)
    }
}

extension HEVCProfileTierLevel {
    /// Returns the HEVC codec string for a CODECS attribute (ISO/IEC 14496-15, Annex E.3), for example
    /// `hvc1.2.4.L120.90`. Its parts:
    ///
    ///     profile space     nothing, A, B or C
    ///     profile           decimal
    ///     compatibility     32 bits in reverse order, hexadecimal without leading zeros
    ///     tier, level       L or H, decimal
    ///     constraints       6 bytes, hexadecimal, without trailing zero bytes
    ///
    /// - Parameter sampleEntry: `hvc1`, or `hev1` if the parameter sets are in the samples.
    public func codecs(sampleEntry: FourCC = "hvc1") -> String {
        let space = ["", "A", "B", "C"][Int(profileSpace & 3)]
        var reversed: UInt32 = 0
        for bit in 0..<32 where compatibility >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
        var parts = [
            "\(sampleEntry)", "\(space)\(profile)", String(reversed, radix: 16, uppercase: true),
            "\(isHighTier ? "H" : "L")\(level)",
        ]
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: constraints >> UInt64(40 - 8 * $0)) }
        while bytes.last == 0 { bytes.removeLast() }
        parts += bytes.map { String($0, radix: 16, uppercase: true) }
        return parts.joined(separator: ".")
    }
}

extension DolbyVisionConfigurationBox {
    /// Returns the Dolby Vision codec string for a CODECS or SUPPLEMENTAL-CODECS attribute without the brand, for
    /// example `dvh1.05.06`: profile and level in two decimal digits each.
    ///
    /// - Parameter sampleEntry: the sample entry type of the track: `hvc1`, `hev1`, `avc1`, `avc3`, `av01`, or a Dolby
    ///   Vision type.
    public func codecs(sampleEntry: FourCC) -> String {
        let dolbyVisionEntry: FourCC =
            switch sampleEntry {
            case "hvc1": "dvh1"
            case "hev1": "dvhe"
            case "avc1": "dva1"
            case "avc3": "dvav"
            case "av01": "dav1"
            default: sampleEntry
            }
        return "\(dolbyVisionEntry).\(CodecsString.twoDigits(profile)).\(CodecsString.twoDigits(level))"
    }

    /// Returns the value of a SUPPLEMENTAL-CODECS attribute (RFC 8216bis, 4.4.6.2), for example `dvh1.08.04/db4h`. Nil
    /// if the base layer cannot be displayed without Dolby Vision, as in profile 5; then ``codecs(sampleEntry:)``
    /// belongs in CODECS.
    ///
    /// - Parameter sampleEntry: the sample entry type of the track.
    public func supplementalCodecs(sampleEntry: FourCC) -> String? {
        brand.map { "\(codecs(sampleEntry: sampleEntry))/\($0)" }
    }

    /// True if only players with Dolby Vision can display the video, as in profile 5, and in profile 20 for stereo
    /// video: then ``codecs(sampleEntry:)`` belongs in CODECS.
    public var requiresDolbyVision: Bool { baseLayerCompatibility == 0 || profile == 5 || profile == 20 }

    /// The brand for the base layer that players without Dolby Vision display: `db1p` for HDR10, `db2g` for SDR, `db4h`
    /// for HLG. Nil if the base layer is not displayable, and for profiles up to 7, whose second layer HLS does not
    /// support.
    public var brand: FourCC? {
        guard profile >= 8, !requiresDolbyVision else { return nil }
        switch baseLayerCompatibility {
        case 1: return "db1p"
        case 2: return "db2g"
        case 4: return "db4h"
        default: return nil
        }
    }

    /// The VIDEO-RANGE value of the base layer, or of Dolby Vision if the base layer is not displayable.
    public var dynamicRange: DynamicRange {
        if requiresDolbyVision { return .pq }
        return switch baseLayerCompatibility {
        case 2: .sdr
        case 4: .hlg
        default: .pq
        }
    }
}

/// Common parts of codec strings.
enum CodecsString {
    static func h264(_ sampleEntry: FourCC, profile: UInt8, constraints: UInt8, level: UInt8) -> String {
        let number = UInt32(profile) << 16 | UInt32(constraints) << 8 | UInt32(level)
        return "\(sampleEntry)." + Hexadecimal.encode(number, digits: 6)
    }

    static func twoDigits(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
