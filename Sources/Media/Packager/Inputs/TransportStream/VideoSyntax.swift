import ByteCoding
import MediaFormats

/// The codec-specific part of reading a video byte stream: parsing its NAL units and describing its track.
protocol VideoSyntax {
    /// Starts at the beginning of a stream.
    init()

    /// Parses the next NAL unit of the stream.
    ///
    /// - Parameter isAfterSlice: Whether the current access unit already contains a slice.
    mutating func parse(_ unit: RawSpan, isAfterSlice: Bool) -> VideoUnit

    /// Returns the messages of an SEI NAL unit; empty if it is invalid.
    func messages(_ unit: RawSpan) -> [SEIMessage]

    /// Describes the track.
    ///
    /// - Parameter sets: All parameter sets.
    /// - Throws: `ParseError` if parameter sets are missing or invalid.
    func description(of sets: [VideoUnit.SetID: [UInt8]]) throws(ParseError) -> VideoDescription
}

/// The properties of a NAL unit that matter for splitting the stream into samples.
struct VideoUnit {
    /// The type and ID of a parameter set.
    struct SetID: Hashable, Comparable {
        /// The `nal_unit_type`.
        var type: UInt8
        /// The ID within the type.
        var id: Int

        static func < (left: SetID, right: SetID) -> Bool { (left.type, left.id) < (right.type, right.id) }
    }

    enum Role {
        case slice
        /// A parameter set; nil if it is invalid.
        case parameterSet(SetID?)
        case message
        /// A delimiter or filler data, which MP4 samples do not need.
        case discarded
        case other
    }

    /// The field that a picture contains, in field-coded video.
    struct Field: Hashable {
        var isBottom: Bool
        var frameNumber: Int
        var isReference: Bool
    }

    var role: Role
    /// True if the NAL unit starts an access unit.
    var isStart = false
    /// True if the NAL unit is a slice that cannot be parsed.
    var isInvalid = false
    var randomAccess = RandomAccess.none
    /// True if the picture cannot be decoded if decoding starts at the previous random access point.
    var isSkippedLeading = false
    var field: Field?
}

/// The description of a video track, derived from its parameter sets.
struct VideoDescription {
    var format: MediaTrack.Format
    var sampleEntry: FourCC
    var configuration: RawBox
    var codecs: String
    /// The cropped size in samples.
    var size: PictureSize
    /// The display size, corrected for the sample aspect ratio.
    var displaySize: PictureSize
    var usability: VideoUsabilityInformation
    /// The duration of a frame in units of 1/90,000 second; nil if the parameter sets do not specify it.
    var frameDuration: Int64?
}

extension VideoUsabilityInformation.Timing {
    /// Returns the duration of a number of ticks in units of 1/90,000 second; nil if it is not a plausible frame
    /// duration.
    func duration(ticks: Int64) -> Int64? {
        let duration = RationalTime(ticks * Int64(unitsInTick), timescale: timeScale).converted(to: 90_000)
        return (90...ProgramClock.rate).contains(duration) ? duration : nil
    }
}
