import MediaFormats

/// The kind of an elementary stream, as specified in the program map (ISO/IEC 13818-1, 2.4.4.8; ETSI EN 300 468, 6.2;
/// ATSC A/52, annexes A and G).
enum StreamKind: Hashable {
    case h264, hevc, aac, ac3, enhancedAC3
    /// A stream with encrypted samples (Apple's MPEG-2 Stream Encryption Format), with the name of the codec.
    case encrypted(String)
    /// A stream that cannot be packaged, with a description of its format.
    case other(String)

    init(_ stream: ProgramMapTable.Stream) {
        switch stream.type {
        case .h264: self = .h264
        case .hevc: self = .hevc
        case .aac: self = .aac
        case .ac3: self = .ac3
        // Blu-ray uses 0x84 for E-AC-3.
        case .eac3, TransportStreamType(rawValue: 0x84): self = .enhancedAC3
        case .encryptedH264: self = .encrypted("H.264")
        case .encryptedAAC: self = .encrypted("AAC")
        case .encryptedAC3: self = .encrypted("AC-3")
        case .encryptedEAC3: self = .encrypted("E-AC-3")
        case .privatePES: self = Self.privateKind(stream.descriptors)
        default: self = .other(Self.names[stream.type.rawValue] ?? "unknown")
        }
    }

    /// Returns the kind of a private stream from its descriptors, because DVB assigns no stream types.
    private static func privateKind(_ descriptors: [TransportDescriptor]) -> StreamKind {
        for descriptor in descriptors {
            switch descriptor.tag {
            case 0x6A: return .ac3
            case 0x7A: return .enhancedAC3
            case 0x56, 0x46: return .other("teletext")
            case 0x59: return .other("DVB subtitles")
            case 0x7B: return .other("DTS audio")
            case 0x7C: return .other("AAC in LATM")
            case 0x7F where descriptor.content.first == 0x15: return .other("AC-4")
            case TransportDescriptor.registration:
                switch descriptor.content.prefix(4) {
                case [0x41, 0x43, 0x2D, 0x33]: return .ac3
                case [0x45, 0x41, 0x43, 0x33]: return .enhancedAC3
                case [0x48, 0x45, 0x56, 0x43]: return .hevc
                case [0x4F, 0x70, 0x75, 0x73]: return .other("Opus")
                default: break
                }
            default: break
            }
        }
        return .other("private data")
    }

    private static let names: [UInt8: String] = [
        0x01: "MPEG-1 video", 0x02: "MPEG-2 video", 0x03: "MPEG-1 audio", 0x04: "MPEG-2 audio",
        0x05: "private sections",
        0x0B: "DSM-CC", 0x0D: "DSM-CC", 0x10: "MPEG-4 video", 0x11: "AAC in LATM", 0x15: "ID3 metadata",
        0x20: "H.264 MVC", 0x21: "JPEG 2000", 0x33: "VVC", 0x42: "AVS video", 0x80: "LPCM audio or DigiCipher video",
        0x82: "DTS audio", 0x83: "TrueHD audio", 0x85: "DTS-HD audio", 0x86: "SCTE-35 markers",
        0x90: "Blu-ray subtitles",
        0xEA: "VC-1 video",
    ]

    /// The name of the format for messages.
    var name: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .aac: "AAC"
        case .ac3: "AC-3"
        case .enhancedAC3: "E-AC-3"
        case .encrypted(let name), .other(let name): name
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
