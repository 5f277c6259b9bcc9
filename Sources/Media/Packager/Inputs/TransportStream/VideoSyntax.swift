import ByteCoding
import MediaFormats

/// What has to be known of a video codec to make samples of its byte stream.
protocol VideoSyntax {
    /// Starts at the beginning of a stream.
    init()

    /// Takes the next NAL unit of the stream.
    ///
    /// - Parameter isBehindSlice: Whether the open access unit has a slice.
    mutating func take(_ unit: RawSpan, isBehindSlice: Bool) -> VideoUnit

    /// The messages of a SEI NAL unit; none when it is broken.
    func messages(_ unit: RawSpan) -> [SEIMessage]

    /// Describes the track.
    ///
    /// - Parameters:
    ///   - sets: All parameter sets.
    ///   - isInBand: Whether parameter sets stay in the samples, since they change.
    /// - Throws: `ParseError` when parameter sets are missing or broken.
    func description(
        of sets: [VideoUnit.SetID: [UInt8]],
        isInBand: Bool
    ) throws(ParseError) -> VideoDescription
}

/// What a NAL unit is to the stream.
struct VideoUnit {
    /// Which parameter set it is.
    struct SetID: Hashable, Comparable {
        /// `nal_unit_type`.
        var type: UInt8
        /// The parameter set's own ID.
        var id: Int

        static func < (left: SetID, right: SetID) -> Bool { (left.type, left.id) < (right.type, right.id) }
    }

    enum Role {
        case slice
        /// nil: it is broken.
        case parameterSet(SetID?)
        case message
        /// Delimiters and filler: samples of MP4 files do without.
        case left
        case other
    }

    /// Which field a picture is, where fields occur.
    struct Field: Hashable {
        var isBottom: Bool
        var frameNumber: Int
        var isReference: Bool
    }

    var role: Role
    /// Whether an access unit begins with it.
    var isStart = false
    /// Whether it is a slice that cannot be read.
    var isBroken = false
    var randomAccess = RandomAccess.none
    /// Whether the picture cannot be decoded when decoding starts at the random access point before it.
    var isSkippedLeading = false
    var field: Field?
}

/// A video track as its parameter sets describe it.
struct VideoDescription {
    var format: MediaTrack.Format
    var sampleEntry: FourCC
    var configuration: RawBox
    var codecs: String
    /// Without the conformance window's margins.
    var size: PictureSize
    /// On a screen of square samples.
    var displaySize: PictureSize
    var usability: VideoUsabilityInformation
    /// How long pictures last, in units of 1/90,000 second, as far as parameter sets say it.
    var frameDuration: Int64?
}

extension VideoUsabilityInformation.Timing {
    /// So many ticks in units of 1/90,000 second; nil unless that is a usable duration of a picture.
    func duration(ticks: Int64) -> Int64? {
        let duration = MediaTime(ticks * Int64(unitsInTick), timescale: timeScale).converted(to: 90_000)
        return (90...ProgramClock.rate).contains(duration) ? duration : nil
    }
}
