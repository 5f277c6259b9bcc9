import MediaFormats

/// The tables of a transport stream with one elementary stream.
struct TransportProgram: Sendable {
    /// The PID of the program map.
    static let mapPID: UInt16 = 0x1000

    /// The PID of the elementary stream and of the program clock.
    let pid: UInt16
    /// The `stream_id` of its PES packets.
    let streamID: UInt8
    /// The section of the program association table.
    let association: [UInt8]
    /// The section of the program map table, which fits in one packet.
    let map: [UInt8]

    /// Creates the tables of a track.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the samples are encrypted with SAMPLE-AES.
    ///   - audioSetup: The content of the registration descriptor of encrypted audio.
    ///   - version: The version of the map, modulo 32.
    init(_ track: MediaTrack, isEncrypted: Bool, audioSetup: AudioSetupInformation?, version: UInt8) throws {
        let isVideo = track.kind == .video
        pid = isVideo ? 0x100 : 0x101
        var descriptors: [TransportDescriptor] = []
        if isEncrypted {
            descriptors.append(.init(tag: TransportDescriptor.privateDataIndicator, content: try Self.indicator(track)))
            if let audioSetup { descriptors.append(try TransportDescriptor(audioSetup)) }
        } else if let identifier = Self.registration(track) {
            descriptors.append(.init(tag: TransportDescriptor.registration, content: Array(identifier.utf8)))
        }
        let language = Array(track.language.utf8)
        if !isVideo, language.count == 3, language.allSatisfy({ (0x61...0x7A).contains($0) }), track.language != "und" {
            descriptors.append(.init(tag: TransportDescriptor.language, content: language + [0]))
        }
        streamID = Self.streamID(track)
        association = ProgramAssociationTable(programs: [(1, Self.mapPID)]).bytes
        let stream = ProgramMapTable.Stream(
            type: try Self.type(track, isEncrypted: isEncrypted),
            pid: pid,
            descriptors: descriptors
        )
        map = ProgramMapTable(version: version, pcrPID: pid, streams: [stream]).bytes
        guard map.count <= 183 else {
            throw OutputFailure(
                "the audio configuration does not fit in the program map of a transport stream; use fragmented MP4"
            )
        }
    }

    private static func type(_ track: MediaTrack, isEncrypted: Bool) throws -> TransportStreamType {
        switch track.format {
        case .h264: isEncrypted ? .encryptedH264 : .h264
        case .hevc where isEncrypted: throw hevcIsClear
        case .hevc: .hevc
        case .aac: isEncrypted ? .encryptedAAC : .aac
        case .ac3: isEncrypted ? .encryptedAC3 : .ac3
        case .enhancedAC3: isEncrypted ? .encryptedEAC3 : .eac3
        case .webVTT: throw OutputFailure("transport streams do not support WebVTT subtitles; write WebVTT segments")
        }
    }

    /// Returns the private data indicator of an encrypted stream (Apple, MPEG-2 Stream Encryption Format).
    private static func indicator(_ track: MediaTrack) throws -> [UInt8] {
        switch track.format {
        case .h264: Array("zavc".utf8)
        case .hevc: throw hevcIsClear
        case .aac: Array("aacd".utf8)
        case .ac3: Array("ac3d".utf8)
        case .enhancedAC3: Array("ec3d".utf8)
        case .webVTT: []
        }
    }

    private static let hevcIsClear = OutputFailure(
        "SAMPLE-AES of HEVC is not defined for transport streams; use fragmented MP4 (cbcs), or whole-segment AES-128"
    )

    /// Returns the registration identifier of formats that require one (ISO/IEC 13818-1, 2.6.8; ATSC A/52, A.2).
    private static func registration(_ track: MediaTrack) -> String? {
        switch track.format {
        case .hevc: "HEVC"
        case .ac3: "AC-3"
        case .enhancedAC3: "EAC3"
        case .h264, .aac, .webVTT: nil
        }
    }

    /// Returns the stream ID: video, MPEG audio, or private data for formats that MPEG does not define.
    private static func streamID(_ track: MediaTrack) -> UInt8 {
        switch track.format {
        case .h264, .hevc: 0xE0
        case .aac: 0xC0
        case .ac3, .enhancedAC3, .webVTT: 0xBD
        }
    }
}
