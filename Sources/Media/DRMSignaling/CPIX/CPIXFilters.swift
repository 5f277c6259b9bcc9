import XMLDocuments

extension CPIXDocument.UsageRule {
    /// Limits for video; a limit that is nil does not apply.
    ///
    ///     VideoFilter @minPixels @maxPixels @hdr @wcg @minFps @maxFps
    public struct VideoFilter: Sendable, Equatable {
        /// The minimum number of pixels per picture, inclusive.
        public var minPixels: Int?
        /// The maximum number of pixels per picture, inclusive.
        public var maxPixels: Int?
        /// True if the video has high dynamic range.
        public var hdr: Bool?
        /// True if the video has a wide color gamut.
        public var wcg: Bool?
        /// The minimum frame rate in frames per second, exclusive.
        public var minFps: Int?
        /// The maximum frame rate in frames per second, inclusive.
        public var maxFps: Int?
        /// The unused attributes and elements.
        public var extensions = CPIXDocument.Extensions()

        /// Creates a filter; without limits it matches all video.
        public init(minPixels: Int? = nil, maxPixels: Int? = nil) {
            self.minPixels = minPixels
            self.maxPixels = maxPixels
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            extensions = CPIXDocument.Extensions(element, namespaces)
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
            writer.element("VideoFilter", attributes, extensions)
        }
    }

    /// Limits for audio.
    ///
    ///     AudioFilter @minChannels @maxChannels
    public struct AudioFilter: Sendable, Equatable {
        /// The minimum number of channels, inclusive.
        public var minChannels: Int?
        /// The maximum number of channels, inclusive.
        public var maxChannels: Int?
        /// The unused attributes and elements.
        public var extensions = CPIXDocument.Extensions()

        /// Creates a filter; without limits it matches all audio.
        public init(minChannels: Int? = nil, maxChannels: Int? = nil) {
            self.minChannels = minChannels
            self.maxChannels = maxChannels
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            extensions = CPIXDocument.Extensions(element, namespaces)
            minChannels = try element.cpixNumber("minChannels")
            maxChannels = try element.cpixNumber("maxChannels")
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("minChannels", minChannels.map { "\($0)" }), ("maxChannels", maxChannels.map { "\($0)" }),
            ]
            writer.element("AudioFilter", attributes, extensions)
        }
    }

    /// Limits for the bit rate in bits per second.
    ///
    ///     BitrateFilter @minBitrate @maxBitrate
    public struct BitrateFilter: Sendable, Equatable {
        /// The minimum, inclusive.
        public var minBitrate: Int?
        /// The maximum, inclusive.
        public var maxBitrate: Int?
        /// The unused attributes and elements.
        public var extensions = CPIXDocument.Extensions()

        /// Creates a filter.
        public init(minBitrate: Int? = nil, maxBitrate: Int? = nil) {
            self.minBitrate = minBitrate
            self.maxBitrate = maxBitrate
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            extensions = CPIXDocument.Extensions(element, namespaces)
            minBitrate = try element.cpixNumber("minBitrate")
            maxBitrate = try element.cpixNumber("maxBitrate")
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("minBitrate", minBitrate.map { "\($0)" }), ("maxBitrate", maxBitrate.map { "\($0)" }),
            ]
            writer.element("BitrateFilter", attributes, extensions)
        }
    }
}
