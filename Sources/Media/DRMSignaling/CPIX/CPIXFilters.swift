import XMLDocuments

extension CPIXDocument.UsageRule {
    /// Bounds on video; what is nil is not bounded.
    ///
    ///     VideoFilter @minPixels @maxPixels @hdr @wcg @minFps @maxFps
    public struct VideoFilter: Sendable, Equatable {
        /// The least number of pixels of a picture, the bound included.
        public var minPixels: Int?
        /// The greatest number, the bound included.
        public var maxPixels: Int?
        /// Whether it is for high dynamic range.
        public var hdr: Bool?
        /// Whether it is for a wide color gamut.
        public var wcg: Bool?
        /// The least number of pictures per second, which it must exceed.
        public var minFps: Int?
        /// The greatest number, the bound included.
        public var maxFps: Int?

        /// Makes a filter for all video.
        public init(minPixels: Int? = nil, maxPixels: Int? = nil) {
            self.minPixels = minPixels
            self.maxPixels = maxPixels
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            minPixels = try element.cpixNumber("minPixels")
            maxPixels = try element.cpixNumber("maxPixels")
            hdr = try element.cpixBoolean("hdr")
            wcg = try element.cpixBoolean("wcg")
            minFps = try element.cpixNumber("minFps")
            maxFps = try element.cpixNumber("maxFps")
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("minPixels", minPixels.map { "\($0)" }), ("maxPixels", maxPixels.map { "\($0)" }),
                ("hdr", hdr.map { "\($0)" }), ("wcg", wcg.map { "\($0)" }), ("minFps", minFps.map { "\($0)" }),
                ("maxFps", maxFps.map { "\($0)" }),
            ]
            writer.element("VideoFilter", attributes)
        }
    }

    /// Bounds on audio.
    ///
    ///     AudioFilter @minChannels @maxChannels
    public struct AudioFilter: Sendable, Equatable {
        /// The least number of channels, the bound included.
        public var minChannels: Int?
        /// The greatest number, the bound included.
        public var maxChannels: Int?

        /// Makes a filter for all audio, or for a number of channels.
        public init(minChannels: Int? = nil, maxChannels: Int? = nil) {
            self.minChannels = minChannels
            self.maxChannels = maxChannels
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            minChannels = try element.cpixNumber("minChannels")
            maxChannels = try element.cpixNumber("maxChannels")
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("minChannels", minChannels.map { "\($0)" }), ("maxChannels", maxChannels.map { "\($0)" }),
            ]
            writer.element("AudioFilter", attributes)
        }
    }

    /// Bounds on bits per second.
    ///
    ///     BitrateFilter @minBitrate @maxBitrate
    public struct BitrateFilter: Sendable, Equatable {
        /// The least, the bound included.
        public var minBitrate: Int?
        /// The greatest, the bound included.
        public var maxBitrate: Int?

        /// Makes a filter.
        public init(minBitrate: Int? = nil, maxBitrate: Int? = nil) {
            self.minBitrate = minBitrate
            self.maxBitrate = maxBitrate
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            minBitrate = try element.cpixNumber("minBitrate")
            maxBitrate = try element.cpixNumber("maxBitrate")
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("minBitrate", minBitrate.map { "\($0)" }), ("maxBitrate", maxBitrate.map { "\($0)" }),
            ]
            writer.element("BitrateFilter", attributes)
        }
    }
}
