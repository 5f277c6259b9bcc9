import Foundation
import MediaFormats

/// The descriptors of a program map: the role, the language and the Dolby Vision configuration of a stream.
extension MediaTrack {
    /// Returns the track with its role, its language and its Dolby Vision configuration from the descriptors of its
    /// stream.
    func described(by descriptors: [TransportDescriptor]) -> MediaTrack {
        var track = self
        if kind == .video, let configuration = DolbyVisionConfigurationBox(descriptors) {
            var box = RawBox(configuration)
            box.type = configuration.boxType
            track.sampleEntry?.boxes.append(box)
            track.applyDolbyVision()
        }
        guard kind == .audio else { return track }
        let purpose = AudioPurpose(descriptors)
        track.role = purpose.role
        if track.language == "und", let language = purpose.language { track.language = language }
        if purpose.isMixedByReceiver {
            track.notes.append(
                "an audio description is meant to be mixed with the main audio by the receiver, which HLS players do "
                    + "not do: they play it alone"
            )
        }
        return track
    }
}

/// The purpose of an audio stream: that of the DVB supplementary audio descriptor if there is one, otherwise that of the
/// language descriptor or the AC-3 descriptors.
struct AudioPurpose {
    /// The role; nil for the main program.
    var role: TrackRole?
    /// The language of the supplementary audio descriptor.
    var language: String?
    /// True if receivers mix the stream with the main audio.
    var isMixedByReceiver = false

    /// Reads the descriptors of a stream.
    init(_ descriptors: [TransportDescriptor]) {
        for descriptor in descriptors where role == nil { role = Self.role(descriptor) }
        // The extension descriptor of DVB with the extension 6 (ETSI EN 300 468, 6.4.11).
        guard let content = descriptors.first(where: { $0.tag == 0x7F && $0.content.first == 0x06 })?.content,
            content.count >= 2
        else { return }
        let flags = content[1]
        switch flags >> 2 & 31 {
        case 1:
            role = .description
            isMixedByReceiver = flags & 0x80 == 0
        case 2: role = .enhancedAudioIntelligibility
        // Spoken subtitles.
        case 3: role = .description
        default: break
        }
        if flags & 1 == 1, content.count >= 5, content[2..<5].allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }) {
            language = String(decoding: content[2..<5].map { $0 | 0x20 }, as: UTF8.self)
        }
    }

    private static func role(_ descriptor: TransportDescriptor) -> TrackRole? {
        let content = descriptor.content
        switch descriptor.tag {
        // Three letters and an audio type (ISO/IEC 13818-1, 2.6.18).
        case TransportDescriptor.language where content.count >= 4: return role(content[3], hearing: 2, visual: 3)
        // DVB AC-3 and E-AC-3: flags, and a component type with the service in bits 3 to 5 (ETSI EN 300 468, D.3, D.5).
        case 0x6A, 0x7A:
            guard content.count >= 2, content[0] & 0x80 != 0 else { return nil }
            return service(content[1] >> 3 & 7)
        // ATSC AC-3: the service (bsmod) in the highest bits of the third byte (ATSC A/52, A.4.3).
        case 0x81 where content.count >= 3: return service(content[2] >> 5)
        default: return nil
        }
    }

    private static func service(_ number: UInt8) -> TrackRole? {
        number == 5 ? .commentary : role(number, hearing: 3, visual: 2)
    }

    private static func role(_ number: UInt8, hearing: UInt8, visual: UInt8) -> TrackRole? {
        number == hearing ? .enhancedAudioIntelligibility : number == visual ? .description : nil
    }
}

extension DolbyVisionConfigurationBox {
    /// Reads the Dolby Vision video stream descriptor; nil if there is none (Dolby Vision Streams within the MPEG-2
    /// Transport Stream Format, 3.2).
    ///
    ///     dv_version_major, dv_version_minor   1 byte each
    ///     dv_profile, dv_level                 7 + 6 bits
    ///     rpu, el, bl present flags            1 bit each
    ///     dependency_pid, reserved             13 + 3 bits   only without a base layer
    ///     dv_bl_signal_compatibility_id        4 bits, 4 reserved
    init?(_ descriptors: [TransportDescriptor]) {
        // The tag is private: its meaning follows from its structure.
        guard let content = descriptors.first(where: { $0.tag == 0xB0 })?.content, content.count >= 5, content[0] == 1
        else { return nil }
        let hasBaseLayer = content[3] & 1 == 1
        let last = hasBaseLayer ? 4 : 6
        guard content.count > last else { return nil }
        self.init(
            profile: content[2] >> 1,
            level: (content[2] & 1) << 5 | content[3] >> 3,
            hasMetadata: content[3] & 4 != 0,
            hasEnhancementLayer: content[3] & 2 != 0,
            hasBaseLayer: hasBaseLayer,
            baseLayerCompatibility: content[last] >> 4
        )
    }
}

extension MediaTrack {
    /// Returns the name shown to viewers: that of the language, and for audio the role that the input specifies.
    ///
    /// - Parameter language: The language as a BCP 47 tag; nil if it is unknown or not shown.
    func name(language: String?) -> String {
        let name = language.map(TrackLanguage.name) ?? kind.rawValue.capitalized
        switch role {
        case .description: return name + " (audio description)"
        case .enhancedAudioIntelligibility: return name + " (clear speech)"
        case .commentary: return name + " (commentary)"
        default: return name
        }
    }
}
