public import MediaFormats

/// The measurements of a segment.
public struct SegmentMeasurement: Hashable, Sendable {
    /// The container; nil if the segment is encrypted as a whole.
    public var container: TrackFormat.Container?
    /// The size in bytes, without container overhead being subtracted.
    public var byteCount: Int
    /// The tracks, in the order of the container.
    public var tracks: [TrackMeasurement] = []
    /// The number of times that transport packets are missing or damaged.
    public var damage = 0
    /// True if the segment begins with the tables that a transport stream needs, or is not a transport stream.
    public var startsWithTables = true
    /// The clock references of a transport stream; nil for other containers.
    public var clock: TransportClock?
    /// The X-TIMESTAMP-MAP of WebVTT was present, or the segment is not WebVTT.
    public var hasTimestampMap = true
    /// The number of cues of WebVTT that cannot be read.
    public var damagedCues = 0
    /// The structure of the fragments; nil for other containers than MP4.
    public var structure: MovieStructure?

    /// Creates a measurement of a segment in which nothing was found yet.
    public init(container: TrackFormat.Container?, byteCount: Int) {
        self.container = container
        self.byteCount = byteCount
    }

    /// The track that determines the timing: the first video track, or the first track of another kind.
    public var leadingTrack: TrackMeasurement? {
        tracks.first { $0.format.kind == .video } ?? tracks.first { $0.format.kind == .audio } ?? tracks.first
    }
}

/// The measurements of one track of a segment.
public struct TrackMeasurement: Hashable, Sendable {
    /// The first picture of a segment.
    public enum FirstPicture: String, Hashable, Sendable {
        /// An IDR picture, or a key frame of AV1.
        case idr = "IDR"
        /// A clean random access picture of HEVC.
        case cra = "CRA"
        /// A picture at which decoding cannot start, or only with a recovery point.
        case other = "no key frame"
        /// It cannot be known: the segment is encrypted as a whole, or the codec is not supported.
        case unknown
    }

    /// The track ID of MP4 or the PID of a transport stream; 0 otherwise.
    public var id: UInt32
    /// The format.
    public var format: TrackFormat
    /// The number of samples: pictures, or audio frames.
    public var sampleCount = 0
    /// The number of encrypted samples.
    public var encryptedSampleCount = 0
    /// The total size of the samples in bytes.
    public var byteCount = 0
    /// The earliest decode time; nil if the track has no samples or no timestamps.
    public var decodeStart: MediaTime?
    /// The time at which the last sample in decode order ends.
    public var decodeEnd: MediaTime?
    /// The earliest presentation time, with the edit list.
    public var start: MediaTime?
    /// The time at which the last sample in presentation order ends, with the edit list.
    public var end: MediaTime?
    /// The presentation time of the first sample in decode order, with the edit list. With open groups of pictures it is
    /// later than ``start``.
    public var firstTime: MediaTime?
    /// The shortest and the longest duration of a sample but the last, in units of the timescale; nil for fewer than two
    /// samples.
    public var sampleDurations: ClosedRange<Int64>?
    /// The first picture of video.
    public var firstPicture = FirstPicture.unknown
    /// The presentation times of IDR pictures in seconds.
    public var keyFrames: [Double] = []
    /// True if decoding cannot start at a sync sample of MP4, or an IDR picture is not marked as a sync sample.
    public var hasWrongSyncFlags = false
    /// True if a picture is coded as two fields.
    public var hasFields = false
    /// True if closed captions (CEA-608 or CEA-708) were found.
    public var hasClosedCaptions = false
    /// True if the pictures, and not only the decoder configuration, carry the static metadata of HDR10.
    public var hasStaticHDRMetadata = false
    /// The faults in the choice of encrypted bytes that were found in the first pictures.
    public var subsampleFaults: Set<SubsampleFault> = []
    /// The number of times that an encrypted sample follows a clear one, or the other way around.
    public var protectionChanges = 0
    /// The loudness that clear audio frames declare.
    public var loudness = StreamLoudness()
    /// The key IDs of the encrypted samples, in the order of their first use; at most 16.
    public var keyIDs: [KeyID] = []

    /// Creates a measurement of a track without samples.
    public init(id: UInt32, format: TrackFormat) {
        self.id = id
        self.format = format
    }

    /// The duration of the presented samples in seconds; nil without timestamps.
    public var duration: Double? {
        guard let start, let end else { return nil }
        return Double(end.value - start.value) / Double(start.timescale)
    }

    /// The frame rate in frames per second; nil for fewer than two samples.
    public var frameRate: Double? {
        guard let duration, duration > 0, sampleCount > 1 else { return nil }
        return Double(sampleCount) / duration
    }
}
