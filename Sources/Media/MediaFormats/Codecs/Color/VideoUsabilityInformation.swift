/// What a sequence parameter set says about showing the video (ITU-T H.264 and H.265, Annex E), where a packager needs
/// it.
public struct VideoUsabilityInformation: Hashable, Sendable {
    /// The width of a sample to its height; nil when unspecified.
    public var sampleAspectRatio: AspectRatio?
    /// The colors; nil when there is no color description.
    public var color: ColorDescription?
    /// `num_units_in_tick` and `time_scale`; nil when absent or 0.
    public var timing: Timing?
    /// How many frames a decoder may have to hold back, `max_num_reorder_frames` of H.264; nil when absent.
    public var reorderFrames: Int?

    /// Makes information that says nothing.
    public init() {}

    /// How fast a clock ticks.
    public struct Timing: Hashable, Sendable {
        /// Units of the time scale in a tick.
        public var unitsInTick: UInt32
        /// Units in a second.
        public var timeScale: UInt32
        /// Whether all frames have the same distance.
        public var isFixed: Bool
    }

    /// A ratio of two numbers that are not 0.
    public struct AspectRatio: Hashable, Sendable {
        /// The horizontal part.
        public var width: Int
        /// The vertical part.
        public var height: Int

        /// Makes a ratio; nil when one of the numbers is not above 0.
        public init?(width: Int, height: Int) {
            guard width > 0, height > 0 else { return nil }
            self.width = width
            self.height = height
        }

        /// The ratio that `aspect_ratio_idc` stands for; nil for 0 (unspecified), 255 and reserved values (Table E-1).
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

/// Width and height in samples.
public struct PictureSize: Hashable, Sendable {
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size on a screen of square samples: the width is stretched or shrunk, to the nearest number.
    public func displayed(_ ratio: VideoUsabilityInformation.AspectRatio?) -> PictureSize {
        guard let ratio else { return self }
        return PictureSize(width: (width * ratio.width + ratio.height / 2) / ratio.height, height: height)
    }
}

/// Frames in so many seconds, as a fraction.
public struct FrameRate: Hashable, Sendable {
    /// Frames.
    public var frames: UInt64
    /// Seconds.
    public var seconds: UInt64

    /// Makes a rate.
    public init(frames: UInt64, seconds: UInt64) {
        self.frames = frames
        self.seconds = seconds
    }

    /// Frames per second.
    public var value: Double { Double(frames) / Double(seconds) }
}
