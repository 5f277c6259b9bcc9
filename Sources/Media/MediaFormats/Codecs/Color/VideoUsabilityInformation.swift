/// The video usability information (VUI) of a sequence parameter set (ITU-T H.264 and H.265, Annex E), with the fields
/// that a packager requires.
public struct VideoUsabilityInformation: Hashable, Sendable {
    /// The sample aspect ratio; nil if unspecified.
    public var sampleAspectRatio: AspectRatio?
    /// The color description, if any.
    public var color: ColorDescription?
    /// The timing information, `num_units_in_tick` and `time_scale`; nil if absent or 0.
    public var timing: Timing?
    /// The maximum number of frames that a decoder must reorder, `max_num_reorder_frames` of H.264; nil if absent.
    public var reorderFrames: Int?

    /// Creates usability information without any values.
    public init() {}

    /// The duration of a clock tick.
    public struct Timing: Hashable, Sendable {
        /// The number of time scale units in a tick.
        public var unitsInTick: UInt32
        /// The number of time scale units per second.
        public var timeScale: UInt32
        /// True if all frames have the same duration (`fixed_frame_rate_flag`).
        public var isFixed: Bool
    }

    /// A ratio of two positive numbers.
    public struct AspectRatio: Hashable, Sendable {
        /// The horizontal part of the ratio.
        public var width: Int
        /// The vertical part of the ratio.
        public var height: Int

        /// Creates a ratio. Returns nil if one of the numbers is not positive.
        public init?(width: Int, height: Int) {
            guard width > 0, height > 0 else { return nil }
            self.width = width
            self.height = height
        }

        /// Creates the ratio of an `aspect_ratio_idc` code. Returns nil for 0 (unspecified), 255 and reserved values
        /// (Table E-1).
        public init?(code: Int) {
            let table = [
                (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
                (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
            ]
            guard (1...table.count).contains(code) else { return nil }
            (width, height) = table[code - 1]
        }
    }
}

/// The width and height of a picture in luma samples.
public struct PictureSize: Hashable, Sendable {
    /// The width in luma samples.
    public var width: Int
    /// The height in luma samples.
    public var height: Int

    /// Creates a picture size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Returns the size in square pixels: the width is scaled by the sample aspect ratio and rounded.
    public func displayed(_ ratio: VideoUsabilityInformation.AspectRatio?) -> PictureSize {
        guard let ratio else { return self }
        return PictureSize(width: (width * ratio.width + ratio.height / 2) / ratio.height, height: height)
    }
}

/// A frame rate as a fraction.
public struct FrameRate: Hashable, Sendable {
    /// The number of frames in ``seconds``.
    public var frames: UInt64
    /// The number of seconds.
    public var seconds: UInt64

    /// Creates a frame rate.
    public init(frames: UInt64, seconds: UInt64) {
        self.frames = frames
        self.seconds = seconds
    }

    /// The frame rate in frames per second.
    public var value: Double { Double(frames) / Double(seconds) }
}
