/// One element of CODECS: the format of media samples in the syntax of RFC 6381.
///
///     codecs  = element *( "," element )
///     element = sample-entry *( "." part )
///     sample-entry = 4( ALPHA / DIGIT / "-" / "+" )
///     part    = 1*( ALPHA / DIGIT / "-" / "_" )
///
/// The meaning of the parts depends on the codec family:
///
///     avc1.PPCCLL              H.264     profile_idc, constraint flags, level_idc, in hexadecimal; also avc1.66.30
///     hvc1.[A-C]P.F.TL.C…      HEVC      profile, compatibility, tier L or H, general_level_idc (30 for each level), …
///     dvh1.PP.LL               Dolby Vision   profile, level
///     av01.P.LLT.DD            AV1       profile, seq_level_idx, tier M or H, bit depth
///     vp09.PP.LL.DD            VP9       profile, level times 10, bit depth
///     mp4a.OO.A                MPEG-4 audio   object type indication (40), audio object type (2 is AAC-LC)
///
/// Every string is accepted. An unknown format has the family ``Family/unknown`` and no profile or level. Section
/// 4.4.6.2.
public struct Codec: Hashable, Sendable, CustomStringConvertible {
    /// The type of media that a format contains.
    public enum Kind: String, Sendable, CaseIterable {
        /// Video.
        case video
        /// Audio.
        case audio
        /// Subtitles or captions.
        case text
        /// A format that this library does not know, of any media type.
        case unknown
    }

    /// The codec family, independent of the sample entry.
    public enum Family: String, Sendable, CaseIterable {
        case h264 = "H.264"
        case hevc = "HEVC"
        /// Dolby Vision based on HEVC, H.264 or AV1; ``Codec/sampleEntry`` indicates the base codec.
        case dolbyVision = "Dolby Vision"
        case vp8 = "VP8"
        case vp9 = "VP9"
        case av1 = "AV1"
        /// AAC of any object type.
        case aac = "AAC"
        /// MPEG-1 Audio Layer III, with an MPEG-4 audio object type or its own object type indication.
        case mp3 = "MP3"
        case ac3 = "AC-3"
        /// Enhanced AC-3, with or without joint object coding (Dolby Atmos).
        case eac3 = "E-AC-3"
        case ac4 = "AC-4"
        case flac = "FLAC"
        case alac = "Apple Lossless"
        case opus = "Opus"
        case dts = "DTS"
        case mpegH = "MPEG-H 3D Audio"
        case iamf = "IAMF"
        case apac = "Apple Positional Audio"
        case webVTT = "WebVTT"
        /// Timed Text Markup Language, including IMSC.
        case ttml = "TTML"
        case tx3g = "3GPP timed text"
        case cea608 = "CEA-608"
        case cea708 = "CEA-708"
        case unknown

        /// The media type of the family.
        public var kind: Kind {
            switch self {
            case .h264, .hevc, .dolbyVision, .vp8, .vp9, .av1: .video
            case .aac, .mp3, .ac3, .eac3, .ac4, .flac, .alac, .opus, .dts, .mpegH, .iamf, .apac: .audio
            case .webVTT, .ttml, .tx3g, .cea608, .cea708: .text
            case .unknown: .unknown
            }
        }
    }

    /// The text of the element.
    public let text: String
    /// The codec family.
    public let family: Family
    /// The profile number that the family defines: profile_idc of H.264 and HEVC, seq_profile of AV1, the audio object
    /// type of AAC; nil when the element has none.
    public let profile: Int?
    /// The level number that the family defines: level_idc of H.264 (41 is 4.1), general_level_idc of HEVC (153 is
    /// 5.1), seq_level_idx of AV1 (13 is 5.1), the level of Dolby Vision and VP9; nil when the element has none.
    public let level: Int?

    /// Parses an element of CODECS. The family is case-insensitive.
    public init(_ text: String) {
        self.text = text
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        let named = Self.families[Self.entryCode(text)] ?? .unknown
        (profile, level) = Self.profile(named, parts.dropFirst())
        let isMP3 = named == .aac && (Self.isMP3Object(parts) || profile == 34)
        family = isMP3 ? .mp3 : named
    }

    /// The media type.
    public var kind: Kind { family.kind }

    /// The four characters of the sample entry; the whole text when it is shorter.
    public var sampleEntry: String { String(text.unicodeScalars.prefix(4)) }

    /// The text of the element.
    public var description: String { text }

    /// True if the text matches the grammar.
    public var isWellFormed: Bool { Self.isWellFormed(text) }

    /// True if the text matches the grammar, and its parts are those of the codec family: `avc1.ZZZZZZ` has no profile
    /// and level, so no player can tell whether it decodes the format. Parts that are absent are valid.
    public var hasValidParameters: Bool {
        guard isWellFormed else { return false }
        let parts = text.split(separator: ".").dropFirst()
        guard let first = parts.first else { return true }
        switch family {
        case .h264, .dolbyVision, .av1, .vp9: return profile != nil && (parts.count == 1 || level != nil)
        case .hevc: return profile != nil && (parts.count < 3 || level != nil)
        case .aac, .mp3:
            return first.utf8.count == 2 && UInt8(first, radix: 16) != nil && (parts.count == 1 || profile != nil)
        default: return true
        }
    }

    /// Returns whether a text matches the grammar, without parsing profile and level.
    static func isWellFormed(_ text: String) -> Bool {
        var position = 0
        // A period starts a part, which is empty until another character follows.
        var isPartEmpty = false
        for byte in text.utf8 {
            let isLetter = isAlphanumeric(byte) || byte == UInt8(ascii: "-")
            if position < 4 {
                guard isLetter || byte == UInt8(ascii: "+") else { return false }
            } else if byte == UInt8(ascii: ".") {
                guard !isPartEmpty else { return false }
                isPartEmpty = true
            } else {
                guard position > 4, isLetter || byte == UInt8(ascii: "_") else { return false }
                isPartEmpty = false
            }
            position += 1
        }
        return position >= 4 && !isPartEmpty
    }

    /// Returns the media type of an element, without parsing profile and level.
    static func kind(of element: String) -> Kind { (families[entryCode(element)] ?? .unknown).kind }

    /// Returns the first four bytes as a number, with letters in lowercase; 0 when there are fewer than four.
    private static func entryCode(_ text: String) -> UInt32 {
        var code: UInt32 = 0
        var count = 0
        for byte in text.utf8.prefix(4) {
            code = code << 8 | UInt32((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            count += 1
        }
        return count == 4 ? code : 0
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    private static let families: [UInt32: Family] = Dictionary(
        uniqueKeysWithValues: familyNames.map { (entryCode($0.key), $0.value) }
    )

    private static let familyNames: KeyValuePairs<String, Family> = [
        "avc1": .h264, "avc3": .h264, "hvc1": .hevc, "hev1": .hevc,
        "dvh1": .dolbyVision, "dvhe": .dolbyVision, "dva1": .dolbyVision, "dvav": .dolbyVision, "dav1": .dolbyVision,
        "vp08": .vp8, "vp09": .vp9, "av01": .av1,
        "mp4a": .aac, "ac-3": .ac3, "ec-3": .eac3, "ac-4": .ac4, "flac": .flac, "alac": .alac, "opus": .opus,
        "dtsc": .dts, "dtse": .dts, "dtsh": .dts, "dtsl": .dts, "dtsx": .dts, "mhm1": .mpegH, "mha1": .mpegH,
        "iamf": .iamf, "apac": .apac,
        "wvtt": .webVTT, "stpp": .ttml, "tx3g": .tx3g, "c608": .cea608, "c708": .cea708,
    ]

    /// Returns whether the object type indication is that of MPEG-1 or MPEG-2 audio instead of MPEG-4 audio.
    private static func isMP3Object(_ parts: [Substring]) -> Bool {
        parts.count > 1 && ["6b", "69"].contains(parts[1].lowercased())
    }

    private static func profile(_ family: Family, _ parts: ArraySlice<Substring>) -> (profile: Int?, level: Int?) {
        let parts = Array(parts)
        func number(_ index: Int) -> Int? { index < parts.count ? Int(parts[index]) : nil }
        switch family {
        case .h264:
            if let second = number(1) { return (number(0), second) }
            guard let first = parts.first, first.utf8.count == 6, first.allSatisfy(\.isHexDigit) else {
                return (nil, nil)
            }
            return (Int(first.prefix(2), radix: 16), Int(first.suffix(2), radix: 16))
        case .hevc:
            let profile = parts.first.flatMap { part in
                Int(part.first.map { "ABC".contains($0) } == true ? part.dropFirst() : part)
            }
            guard parts.count > 2, let tier = parts[2].first, "LH".contains(tier) else { return (profile, nil) }
            return (profile, Int(parts[2].dropFirst()))
        case .av1:
            let level = parts.count > 1 ? Int(parts[1].prefix { $0.isNumber }) : nil
            return (number(0), level)
        case .dolbyVision, .vp9: return (number(0), number(1))
        case .aac: return (number(1), nil)
        default: return (nil, nil)
        }
    }
}

/// One element of SUPPLEMENTAL-CODECS: the format of an enhancement layer and its compatibility brands (section
/// 4.4.6.2).
///
///     element = codec *( "/" brand )
///     brand   = 4 printable characters of ASCII, registered with the MP4 registration authority
public struct SupplementalCodec: Hashable, Sendable {
    /// The format of the enhancement layer.
    public let codec: Codec
    /// The brands, such as `db4h`.
    public let brands: [String]

    /// Parses an element. Every string is accepted; see ``isWellFormed``.
    public init(_ text: String) {
        let fields = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        codec = Codec(fields.first ?? "")
        brands = Array(fields.dropFirst())
    }

    /// True if the text matches the grammar.
    public var isWellFormed: Bool {
        codec.isWellFormed
            && brands.allSatisfy { $0.utf8.count == 4 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
    }
}

extension VariantAttributes {
    /// The parsed elements of CODECS.
    public var codecList: [Codec] { codecs.map { Codec($0) } }
}
