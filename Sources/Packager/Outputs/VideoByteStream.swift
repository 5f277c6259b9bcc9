import ByteCoding
import MediaFormats
import SampleEncryption

/// What the two codecs' access units have in common.
enum VideoByteStream: Sendable {
    case h264(H264ByteStreamWriter, lengthSize: Int)
    case hevc(HEVCByteStreamWriter, lengthSize: Int)

    /// nil unless the track is video.
    init?(_ track: MediaTrack) {
        switch track.format {
        case .h264(let configuration):
            self = .h264(H264ByteStreamWriter(configuration), lengthSize: configuration.lengthSize)
        case .hevc(let configuration):
            self = .hevc(HEVCByteStreamWriter(configuration), lengthSize: configuration.lengthSize)
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
    }

    var lengthSize: Int {
        switch self {
        case .h264(_, let size), .hevc(_, let size): size
        }
    }

    func summary(_ sample: RawSpan, base: Int) throws(ParseError) -> AccessUnitSummary {
        do throws(ParseError) {
            return switch self {
            case .h264: try H264AccessUnit.summary(sample, lengthSize: lengthSize)
            case .hevc: try HEVCAccessUnit.summary(sample, lengthSize: lengthSize)
            }
        } catch {
            throw ParseError(error.code, reading: error.reading, offset: base + error.offset, reason: error.reason)
        }
    }

    func start(of summary: AccessUnitSummary) -> [UInt8] {
        switch self {
        case .h264(let writer, _): writer.start(of: summary)
        case .hevc(let writer, _): writer.start(of: summary)
        }
    }

    /// Whether SAMPLE-AES encrypts a NAL unit.
    func isEncrypted(_ unit: RawSpan) -> Bool {
        switch self {
        case .h264: SampleCipher.encrypts(nalUnit: unit)
        case .hevc: false
        }
    }
}
