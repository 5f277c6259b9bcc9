import ByteCoding
import MediaFormats
import SampleEncryption

/// The conversion of video samples to a byte stream.
struct VideoByteStream: Sendable {
    private let writer: ByteStreamWriter

    /// Creates the conversion of a track; nil if it is not video.
    init?(_ track: MediaTrack) {
        switch track.format {
        case .h264(let configuration): writer = ByteStreamWriter(configuration)
        case .hevc(let configuration): writer = ByteStreamWriter(configuration)
        case .aac, .ac3, .enhancedAC3, .webVTT: return nil
        }
    }

    var lengthSize: Int { writer.lengthSize }

    func summary(_ sample: RawSpan, base: Int) throws(ParseError) -> AccessUnitSummary {
        do throws(ParseError) {
            return try writer.summary(sample)
        } catch {
            throw ParseError(error.code, reading: error.reading, offset: base + error.offset, reason: error.reason)
        }
    }

    func start(of summary: AccessUnitSummary) -> [UInt8] { writer.start(of: summary) }

    /// Returns whether SAMPLE-AES encrypts a NAL unit.
    func isEncrypted(_ unit: RawSpan) -> Bool { writer.codec == .h264 && SampleCipher.encrypts(nalUnit: unit) }
}
