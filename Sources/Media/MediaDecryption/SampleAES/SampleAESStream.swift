package import MediaFormats
import SampleEncryption

/// The formats of elementary streams that SAMPLE-AES supports (Apple, MPEG-2 Stream Encryption Format), with their
/// stream types in a program map table for encrypted and clear streams.
package enum SampleAESStream: Hashable, Sendable, CaseIterable {
    case h264, aac, ac3, enhancedAC3

    /// Creates the format for the stream type of an encrypted stream. Returns nil for any other type.
    package init?(encrypted type: TransportStreamType) {
        guard let kind = Self.allCases.first(where: { $0.encryptedType == type }) else { return nil }
        self = kind
    }

    var encryptedType: TransportStreamType {
        switch self {
        case .h264: .encryptedH264
        case .aac: .encryptedAAC
        case .ac3: .encryptedAC3
        case .enhancedAC3: .encryptedEAC3
        }
    }

    var clearType: TransportStreamType {
        switch self {
        case .h264: .h264
        case .aac: .aac
        case .ac3: .ac3
        case .enhancedAC3: .eac3
        }
    }

    var format: SampleAESFormat {
        switch self {
        case .h264: .h264
        case .aac: .aac
        case .ac3: .ac3
        case .enhancedAC3: .enhancedAC3
        }
    }

    /// The name for messages.
    package var name: String {
        switch self {
        case .h264: "H.264"
        case .aac: "AAC"
        case .ac3: "AC-3"
        case .enhancedAC3: "E-AC-3"
        }
    }
}

extension ProgramMapTable {
    /// True if the table contains an encrypted stream.
    var isEncrypted: Bool { streams.contains { SampleAESStream(encrypted: $0.type) != nil } }

    /// The table for the decrypted streams: with the stream types of clear streams, and without the encryption
    /// descriptors. These are a private data indicator with the format (`zavc`, `aacd`, `ac3d`, `ec3d`) and a
    /// registration descriptor `apad` with the audio setup information.
    var clear: ProgramMapTable {
        var table = self
        for index in table.streams.indices {
            guard let kind = SampleAESStream(encrypted: streams[index].type) else { continue }
            table.streams[index].type = kind.clearType
            table.streams[index].descriptors.removeAll { descriptor in
                let name = String(decoding: descriptor.content.prefix(4), as: UTF8.self)
                switch descriptor.tag {
                case TransportDescriptor.privateDataIndicator: return ["zavc", "aacd", "ac3d", "ec3d"].contains(name)
                case TransportDescriptor.registration: return name == "apad"
                default: return false
                }
            }
        }
        return table
    }
}
