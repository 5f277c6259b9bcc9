import ByteCoding
import MediaFormats

/// The closed captions in the pictures of a video (CEA-608 and CEA-708).
struct ClosedCaptions: Hashable, Sendable {
    /// True if pictures carry caption data, even if it is empty.
    var isPresent = false
    /// The values of INSTREAM-ID (RFC 8216bis, 4.4.6.1) with captions: `CC1` to `CC4` and `SERVICE1` to `SERVICE63`.
    var channels: Set<String> = []

    /// The channels to declare, in order. Broadcasts carry the same captions in both standards, so the services of
    /// CEA-708 are declared only if there are no others.
    var declared: [String] {
        let analog = channels.filter { $0.hasPrefix("CC") }
        return (analog.isEmpty ? channels : analog).sorted { ($0.count, $0) < ($1.count, $1) }
    }

    /// Adds the captions of a picture.
    mutating func add(_ data: ClosedCaptionData) {
        isPresent = true
        var service: [UInt8] = []
        for construct in data.constructs where construct.isValid {
            switch construct.type {
            case 0, 1: addAnalog(construct)
            default:
                if construct.type == 3 {
                    addPacket(service)
                    service = []
                }
                service += [construct.first, construct.second]
            }
        }
        addPacket(service)
    }

    /// Adds a pair of bytes of CEA-608, with parity bits. A channel has captions if one of the commands occurs with which
    /// captions start: resume loading, roll-up, resume direct captioning, end of caption.
    private mutating func addAnalog(_ construct: ClosedCaptionData.Construct) {
        let (first, second) = (construct.first & 0x7F, construct.second & 0x7F)
        guard [0x14, 0x15, 0x1C, 0x1D].contains(first), [0x20, 0x25, 0x26, 0x27, 0x29, 0x2F].contains(second) else {
            return
        }
        let isSecond = first & 0x08 != 0
        channels.insert("CC\((construct.type == 0 ? 1 : 3) + (isSecond ? 1 : 0))")
    }

    /// Adds a caption channel packet of CEA-708: a header, and blocks of services.
    private mutating func addPacket(_ packet: [UInt8]) {
        guard let header = packet.first else { return }
        let size = header & 63 == 0 ? 128 : Int(header & 63) * 2
        var rest = packet.prefix(size).dropFirst()
        while let block = rest.popFirst() {
            var service = Int(block >> 5)
            let count = Int(block & 31)
            if service == 7, count > 0, let number = rest.popFirst() { service = Int(number & 63) }
            guard service > 0, count > 0 else { return }
            channels.insert("SERVICE\(service)")
            rest = rest.dropFirst(count)
        }
    }
}

/// Finds the closed captions in video samples.
///
/// Encoders put caption data into every picture, even between captions. So a few pictures of each segment are enough to
/// find out whether there is any; if so, all pictures are read from there on.
struct ClosedCaptionScanner: Sendable {
    private static let picturesPerSegment = 8
    private let lengthSize: Int
    private let isHEVC: Bool
    /// The captions so far.
    private(set) var captions: ClosedCaptions

    /// Starts a scan; nil if the track is not video.
    ///
    /// - Parameter found: The captions of earlier parts.
    init?(_ track: MediaTrack, found: ClosedCaptions = ClosedCaptions()) {
        captions = found
        switch track.format {
        case .h264(let configuration): (lengthSize, isHEVC) = (configuration.lengthSize, false)
        case .hevc(let configuration): (lengthSize, isHEVC) = (configuration.lengthSize, true)
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
    }

    /// Reads the samples of a segment. Damaged messages are ignored.
    mutating func scan(_ samples: [MediaSample]) {
        for (index, sample) in samples.enumerated() {
            guard captions.isPresent || index < Self.picturesPerSegment else { return }
            sample.withBytes { try? scan($0) }
        }
    }

    private mutating func scan(_ sample: RawSpan) throws(ParseError) {
        var units = LengthPrefixedNALUnits(lengthSize: lengthSize)
        while let range = try units.next(sample) {
            let unit = sample.extracting(range)
            guard let isMessage = isMessage(unit) else { return }
            guard isMessage else { continue }
            for case .closedCaptions(let data) in try SEIMessage.messages(unit, headerSize: isHEVC ? 2 : 1) {
                captions.add(data)
            }
        }
    }

    /// Returns whether a NAL unit contains messages; nil for a slice, after which there are none.
    private func isMessage(_ unit: RawSpan) -> Bool? {
        if isHEVC {
            guard let type = HEVCNALHeader(unit)?.type else { return false }
            return type.isVideoCodingLayer ? nil : type == .prefixSEI
        }
        guard unit.byteCount > 0 else { return false }
        let type = H264NALHeader(rawValue: unit.unsafeLoad(fromByteOffset: 0, as: UInt8.self)).type
        return type.isVideoCodingLayer ? nil : type == .sei
    }
}
