import MediaFormats

/// The kind of an elementary stream, as specified in the program map (ISO/IEC 13818-1, 2.4.4.8; ETSI EN 300 468, 6.2;
/// ATSC A/52, annexes A and G).
enum StreamKind: Hashable {
    case h264, hevc, aac, ac3, enhancedAC3
    /// Commands of SCTE 35.
    case splices
    /// ID3 tags with times.
    case metadata
    /// A stream with encrypted samples (Apple's MPEG-2 Stream Encryption Format), with the name of the codec.
    case encrypted(String)
    /// A stream that cannot be packaged: the name of its format, and the kind of media; nil for data.
    case other(String, MediaTrack.Kind?)

    init(_ stream: ProgramMapTable.Stream) {
        switch stream.type {
        case .h264: self = .h264
        case .hevc: self = .hevc
        case .aac: self = .aac
        case .ac3: self = .ac3
        // Blu-ray uses 0x84 for E-AC-3.
        case .eac3, TransportStreamType(rawValue: 0x84): self = .enhancedAC3
        case .splices: self = .splices
        case .metadata: self = .metadata
        case .encryptedH264: self = .encrypted("H.264")
        case .encryptedAAC: self = .encrypted("AAC")
        case .encryptedAC3: self = .encrypted("AC-3")
        case .encryptedEAC3: self = .encrypted("E-AC-3")
        case .privatePES: self = Self.privateKind(stream.descriptors)
        default:
            let (name, kind) = Self.others[stream.type.rawValue] ?? ("unknown", nil)
            self = .other(name, kind)
        }
    }

    /// Returns the kind of a private stream from its descriptors, because DVB assigns no stream types.
    private static func privateKind(_ descriptors: [TransportDescriptor]) -> StreamKind {
        let isDolbyVision = descriptors.contains {
            $0.tag == TransportDescriptor.registration && $0.content.starts(with: "DOVI".utf8)
        }
        if isDolbyVision, let configuration = DolbyVisionConfigurationBox(descriptors) {
            guard configuration.hasBaseLayer else { return .other("the enhancement layer of Dolby Vision", nil) }
            return configuration.profile == 9 ? .h264 : .hevc
        }
        for descriptor in descriptors {
            switch descriptor.tag {
            case 0x6A: return .ac3
            case 0x7A: return .enhancedAC3
            case 0x56, 0x46: return .other("teletext", .subtitles)
            case 0x59: return .other("DVB subtitles", .subtitles)
            case 0x7B: return .other("DTS audio", .audio)
            case 0x7C: return .other("AAC in LATM", .audio)
            case 0x7F where descriptor.content.first == 0x15: return .other("AC-4", .audio)
            case TransportDescriptor.registration:
                switch String(decoding: descriptor.content.prefix(4), as: UTF8.self) {
                case "AC-3": return .ac3
                case "EAC3": return .enhancedAC3
                case "HEVC": return .hevc
                case let name:
                    if let (name, kind) = registrations[name] { return .other(name, kind) }
                }
            default: break
            }
        }
        return .other("private data", nil)
    }

    private static let registrations: [String: (String, MediaTrack.Kind?)] = [
        "Opus": ("Opus", .audio), "BSSD": ("PCM (SMPTE 302M)", .audio), "DTS1": ("DTS audio", .audio),
        "DTS2": ("DTS audio", .audio), "DTS3": ("DTS audio", .audio), "AC-4": ("AC-4", .audio),
        "AV01": ("AV1 video", .video), "VC-1": ("VC-1 video", .video), "drac": ("Dirac video", .video),
        "KLVA": ("KLV metadata", nil), "CUEI": ("SCTE-35 markers", nil), "ID3 ": ("ID3 metadata", nil),
    ]

    private static let others: [UInt8: (String, MediaTrack.Kind?)] = [
        0x01: ("MPEG-1 video", .video), 0x02: ("MPEG-2 video", .video), 0x03: ("MPEG-1 audio", .audio),
        0x04: ("MPEG-2 audio", .audio), 0x05: ("private sections", nil), 0x0B: ("DSM-CC", nil), 0x0D: ("DSM-CC", nil),
        0x10: ("MPEG-4 video", .video), 0x11: ("AAC in LATM", .audio),
        0x1C: ("MPEG-4 audio", .audio), 0x1D: ("MPEG-4 text", .subtitles), 0x20: ("H.264 MVC", nil),
        0x21: ("JPEG 2000", .video), 0x2D: ("MPEG-H audio", .audio), 0x32: ("JPEG XS", .video), 0x33: ("VVC", .video),
        0x35: ("EVC", .video), 0x42: ("AVS video", .video), 0x80: ("LPCM audio or DigiCipher video", .audio),
        0x82: ("DTS audio", .audio), 0x83: ("TrueHD audio", .audio), 0x85: ("DTS-HD audio", .audio),
        0x90: ("Blu-ray subtitles", .subtitles), 0xD1: ("Dirac video", .video),
        0xD2: ("AVS2 video", .video), 0xD4: ("AVS3 video", .video), 0xEA: ("VC-1 video", .video),
    ]

    /// The kind of media; nil for data.
    var mediaKind: MediaTrack.Kind? {
        switch self {
        case .h264, .hevc: .video
        case .aac, .ac3, .enhancedAC3: .audio
        case .encrypted, .splices, .metadata: nil
        case .other(_, let kind): kind
        }
    }

    /// The name of the format for messages.
    var name: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .aac: "AAC"
        case .ac3: "AC-3"
        case .enhancedAC3: "E-AC-3"
        case .splices: "SCTE-35 commands"
        case .metadata: "ID3 metadata"
        case .encrypted(let name), .other(let name, _): name
        }
    }
}

extension ProgramMapTable.Stream {
    /// The ISO 639-2 language in the language descriptor; `und` if there is none.
    var language: String {
        guard let content = descriptors.first(where: { $0.tag == TransportDescriptor.language })?.content,
            content.count >= 3, content[..<3].allSatisfy({ (0x61...0x7A).contains($0 | 0x20) })
        else { return "und" }
        return String(decoding: content[..<3].map { $0 | 0x20 }, as: UTF8.self)
    }
}
