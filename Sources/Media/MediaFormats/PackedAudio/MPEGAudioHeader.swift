/// The header of an MPEG audio frame of layers I to III (ISO/IEC 11172-3, 2.4.2.3; ISO/IEC 13818-3, 2.4.2.3).
///
///     syncword 11 bits, ID 2, layer 2, protection_bit 1, bitrate_index 4, sampling_frequency 2, padding_bit 1 ...
package struct MPEGAudioHeader {
    /// The layer: 1, 2 or 3.
    package let layer: Int
    /// The size of the frame in bytes; nil if the bit rate is not specified.
    package let frameSize: Int?

    /// Parses the header; nil if the bytes are not one.
    package init?(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes.prefix(4))
        guard bytes.count == 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        // ID 1 and layer 0 are reserved; layer 0 is that of ADTS.
        let (version, layerBits) = (bytes[1] >> 3 & 3, bytes[1] >> 1 & 3)
        let (rateIndex, frequencyIndex) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
        guard version != 1, layerBits != 0, rateIndex != 15, frequencyIndex != 3 else { return nil }
        layer = 4 - Int(layerBits)
        let isFirst = version == 3
        let frequency = [44_100, 48_000, 32_000][frequencyIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        guard rateIndex > 0 else {
            frameSize = nil
            return
        }
        let bitRate = Self.bitRates(isFirst, layer)[rateIndex - 1] * 1000
        let padding = Int(bytes[2] >> 1 & 1)
        frameSize =
            switch layer {
            case 1: (12 * bitRate / frequency + padding) * 4
            case 2: 144 * bitRate / frequency + padding
            default: (isFirst ? 144 : 72) * bitRate / frequency + padding
            }
    }

    /// Returns the name of the format of a file that begins with a frame, or with zeros and then a frame; nil for any
    /// other file. The second frame must follow the first, unless the bytes end before it.
    ///
    /// - Parameter isTagged: True if an ID3 tag precedes the bytes. Files whose tag has a wrong size are common, so the
    ///   first frame is searched.
    package static func name(_ head: [UInt8], isTagged: Bool) -> String? {
        let first = head.firstIndex { $0 != 0 } ?? 0
        for start in isTagged ? first..<head.count : first..<min(first + 1, head.count) {
            guard let header = MPEGAudioHeader(head[start...]) else { continue }
            if let size = header.frameSize, start + size + 4 <= head.count {
                guard let next = MPEGAudioHeader(head[(start + size)...]), next.layer == header.layer else { continue }
            } else if isTagged, start > first {
                continue
            }
            return header.layer == 3 ? "MPEG audio, MP3" : "MPEG audio, layer \(header.layer)"
        }
        return nil
    }

    /// The bit rates in kbit/s by index, from 1.
    private static func bitRates(_ isFirst: Bool, _ layer: Int) -> [Int] {
        switch (isFirst, layer) {
        case (true, 1): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
        case (true, 2): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
        case (true, _): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case (false, 1): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
        case (false, _): [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        }
    }
}
