public import ByteCoding

/// A `tlou` or `alou` box: the loudness of a track, or of the album that the track belongs to (ISO/IEC 14496-12, 12.2.7).
///
///     version and flags            4 bytes
///     reserved                     2 bits    in version 1
///     loudness_base_count          6 bits    in version 1; version 0 has one entry
///     each entry:
///       reserved                   2 bits    in version 1
///       EQ_set_ID                  6 bits    in version 1
///       reserved                   3 bits
///       downmix_ID                 7 bits    0: the layout of the track
///       DRC_set_ID                 6 bits    0: without dynamic range compression
///       bs_sample_peak_level       12 bits   20 dBFS minus 1/32 dB each; 0: unknown
///       bs_true_peak_level         12 bits   20 dBTP minus 1/32 dB each; 0: unknown
///       measurement_system_for_TP  4 bits
///       reliability_for_TP         4 bits
///       measurement_count          8 bits
///       each measurement:
///         method_definition        8 bits    1: program loudness, 2: anchor loudness
///         method_value             8 bits    for the methods 1 to 5, -57.75 LKFS plus 0.25 LU each
///         measurement_system       4 bits    1: EBU R 128, 2: ITU-R BS.1770
///         reliability              4 bits
public struct LoudnessInformationBox: ListedBox, Hashable {
    /// A measured value.
    public struct Measurement: Hashable, Sendable {
        /// The method: 1 is the loudness of the program, 2 that of its anchor, such as the dialog.
        public var method: UInt8
        /// The value as in the box.
        public var value: UInt8
        /// The measurement system: 1 is EBU R 128, 2 is ITU-R BS.1770.
        public var system: UInt8
        /// The reliability: 3 is the most reliable one.
        public var reliability: UInt8

        /// Creates a measurement.
        public init(method: UInt8, value: UInt8, system: UInt8 = 2, reliability: UInt8 = 3) {
            (self.method, self.value) = (method, value)
            (self.system, self.reliability) = (system, reliability)
        }

        /// The loudness in LKFS; nil for methods with values of another kind.
        public var loudness: Double? { (1...5).contains(method) ? Double(value) / 4 - 57.75 : nil }
    }

    /// The values for one way of playing the track.
    public struct Entry: Hashable, Sendable {
        /// The ID of the equalizer settings; 0 without.
        public var equalizerSetID: UInt8 = 0
        /// The ID of the downmix; 0 for the layout of the track.
        public var downmixID: UInt8 = 0
        /// The ID of the dynamic range compression; 0 without.
        public var compressionSetID: UInt8 = 0
        /// The sample peak as in the box; 0 if it is unknown.
        public var samplePeak: UInt16 = 0
        /// The true peak as in the box; 0 if it is unknown.
        public var truePeak: UInt16 = 0
        /// The measurements.
        public var measurements: [Measurement]

        /// Creates values for the layout of the track, without dynamic range compression.
        public init(_ measurements: [Measurement], truePeak: UInt16 = 0) {
            (self.measurements, self.truePeak) = (measurements, truePeak)
        }

        /// The true peak in dBTP; nil if it is unknown.
        public var truePeakLevel: Double? { truePeak > 0 ? 20 - Double(truePeak) / 32 : nil }
        /// True if the values are those of the track as it is, without downmix, equalizer and compression.
        public var isUnprocessed: Bool { equalizerSetID == 0 && downmixID == 0 && compressionSetID == 0 }
    }

    /// The type of the box for a track.
    public static let trackType: FourCC = "tlou"
    /// The type of the box for an album.
    public static let albumType: FourCC = "alou"
    /// The types of the boxes.
    public static let types: [FourCC] = [trackType, albumType]

    /// True if the values are those of the album.
    public var isAlbum: Bool
    /// The entries; at most 63.
    public var entries: [Entry]

    /// Creates a box.
    public init(isAlbum: Bool = false, entries: [Entry]) { (self.isAlbum, self.entries) = (isAlbum, entries) }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`; `invalid-value` for a version above 1.
    public init(reading reader: inout ByteReader, type: FourCC) throws(ParseError) {
        isAlbum = type == Self.albumType
        let header = try FullBoxHeader(reading: &reader, of: type, newest: 1)
        entries = []
        let count = header.version == 0 ? 1 : try reader.readUInt8("loudness_base_count") & 63
        for _ in 0..<count {
            var entry = Entry([])
            if header.version > 0 { entry.equalizerSetID = try reader.readUInt8("EQ_set_ID") & 63 }
            let identifiers = try reader.readUInt16("downmix_ID and DRC_set_ID")
            entry.downmixID = UInt8(identifiers >> 6 & 127)
            entry.compressionSetID = UInt8(identifiers & 63)
            let first = try reader.readUInt16("peak levels")
            let second = try reader.readUInt8("peak levels")
            entry.samplePeak = first >> 4
            entry.truePeak = (first & 15) << 8 | UInt16(second)
            _ = try reader.readUInt8("measurement system of the true peak")
            for _ in 0..<(try reader.readUInt8("measurement_count")) {
                let method = try reader.readUInt8("method_definition")
                let value = try reader.readUInt8("method_value")
                let system = try reader.readUInt8("measurement_system and reliability")
                entry.measurements.append(
                    .init(method: method, value: value, system: system >> 4, reliability: system & 15)
                )
            }
            entries.append(entry)
        }
    }

    /// Reads the number of entries, and the loudness and the true peak of the first.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        let box = try Self(reading: &reader, type: type)
        var fields = [BoxField("loudness_base_count", box.entries.count)]
        if let entry = box.entries.first {
            for measurement in entry.measurements.prefix(16) {
                fields.append(BoxField("method_definition", measurement.method))
                if let loudness = measurement.loudness {
                    fields.append(BoxField("method_value", loudness, unit: "LKFS"))
                } else {
                    fields.append(BoxField("method_value", measurement.value))
                }
            }
            if let peak = entry.truePeakLevel { fields.append(BoxField("bs_true_peak_level", peak, unit: "dBTP")) }
        }
        return BoxSummary(fields)
    }
}

/// A `ludt` box in the user data of a track: its `tlou` and `alou` boxes (ISO/IEC 14496-12, 12.2.7).
public struct LoudnessBox: Hashable, Sendable {
    /// The type of the box.
    public static let type: FourCC = "ludt"
    /// The maximum number of boxes that are read.
    static let maximumCount = 64

    /// The boxes that could be read.
    public var boxes: [LoudnessInformationBox]
    /// True if a box could not be read: it is damaged, or has a newer version.
    public var isIncomplete = false

    /// Creates a box.
    public init(_ boxes: [LoudnessInformationBox]) { self.boxes = boxes }

    /// Reads the content of the box. What cannot be read is left out, because playback does not depend on it.
    init(reading reader: inout ByteReader) {
        var boxes: [LoudnessInformationBox] = []
        do throws(ParseError) {
            try reader.readBoxes(in: Self.type) { box, content throws(ParseError) in
                guard LoudnessInformationBox.types.contains(box.type), boxes.count < Self.maximumCount else { return }
                boxes.append(try LoudnessInformationBox(reading: &content, type: box.type))
            }
        } catch {
            isIncomplete = true
        }
        self.boxes = boxes
    }

    /// The values of the track as it is, without those of its album, of downmixes and of compression; nil if there are none.
    public var entry: LoudnessInformationBox.Entry? {
        boxes.lazy.filter { !$0.isAlbum }.flatMap(\.entries).first(where: \.isUnprocessed)
    }
}
