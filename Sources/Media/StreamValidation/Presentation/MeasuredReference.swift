public import HLSPlaylist

/// A resource that is neither a playlist nor media: session data, a steering manifest, or the list of an interstitial's
/// assets.
public struct MeasuredReference: Sendable {
    /// The kind of a resource.
    public enum Kind: String, Hashable, Sendable {
        /// The value of EXT-X-SESSION-DATA.
        case sessionData = "session data"
        /// The chapters of com.apple.hls.chapters.
        case chapters
        /// The steering manifest of EXT-X-CONTENT-STEERING.
        case steeringManifest = "steering manifest"
        /// The list of X-ASSET-LIST.
        case assetList = "asset list"
    }

    /// The result of loading a resource.
    public enum Outcome: Sendable {
        /// It was read.
        case read
        /// It was read, and is a steering manifest.
        case steeringManifest(SteeringManifest)
        /// It could not be loaded.
        case missing(reason: String)
        /// It was loaded, but cannot be read.
        case malformed(reason: String)
    }

    /// The kind.
    public var kind: Kind
    /// The place of the tag.
    public var place: ValidationFinding.Place
    /// The observations of the HTTP response; nil for files, and if there was none.
    public var http: HTTPObservation?
    /// The result.
    public var outcome: Outcome
}

/// An interstitial with its assets.
public struct MeasuredInterstitial: Sendable {
    /// An asset.
    public struct Asset: Sendable {
        /// The URI.
        public var uri: String
        /// The duration in the asset list in seconds; nil for X-ASSET-URI.
        public var declaredDuration: Double?
        /// The presentation; nil if it could not be loaded.
        public var presentation: MeasuredPresentation?
        /// The reason why it could not be loaded, as a part of a sentence.
        public var failure: String?
    }

    /// The EXT-X-DATERANGE tag.
    public var tag: DateRangeTag
    /// Its place.
    public var place: ValidationFinding.Place
    /// The assets, in their order.
    public var assets: [Asset] = []
}
