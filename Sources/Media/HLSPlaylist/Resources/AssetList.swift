import TextCoding

/// The assets of an interstitial: the JSON resource at the URI of X-ASSET-LIST (appendix D.2).
///
///     {"ASSETS": [{"URI": "https://…", "DURATION": 15}],
///      "SKIP-CONTROL": {"OFFSET": 5, "DURATION": 10, "LABEL-ID": "…"}}
public struct AssetList: Hashable, Sendable {
    /// An asset.
    public struct Asset: Hashable, Sendable {
        /// The absolute URI of the asset's Multivariant Playlist.
        public var uri: String
        /// The duration in seconds.
        public var duration: Double

        /// Creates an asset; `duration` is in seconds.
        public init(uri: String, duration: Double) {
            self.uri = uri
            self.duration = duration
        }
    }

    /// A skip button.
    public struct SkipControl: Hashable, Sendable {
        /// The number of seconds after which the button appears.
        public var offset: Double?
        /// The number of seconds for which the button is shown; nil means until the end.
        public var duration: Double?
        /// The label ID of the button.
        public var labelID: String?

        /// Creates a skip button; times are in seconds.
        public init(offset: Double? = nil, duration: Double? = nil, labelID: String? = nil) {
            self.offset = offset
            self.duration = duration
            self.labelID = labelID
        }
    }

    /// The assets, in the order of playback.
    public var assets: [Asset]
    /// The skip button; nil for that of the EXT-X-DATERANGE tag.
    public var skipControl: SkipControl?

    /// Creates a list.
    public init(assets: [Asset], skipControl: SkipControl? = nil) {
        self.assets = assets
        self.skipControl = skipControl
    }

    /// Parses a list. Unknown members are ignored.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/malformedJSON``.
    public init(parsing bytes: [UInt8]) throws(PlaylistError) {
        let json = try JSONResource(parsing: bytes)
        assets = []
        for item in try json.required("ASSETS").items() {
            assets.append(Asset(uri: try item.required("URI").text(), duration: try item.required("DURATION").number()))
        }
        if let control = json.member("SKIP-CONTROL") {
            skipControl = SkipControl(
                offset: try control.member("OFFSET")?.number(),
                duration: try control.member("DURATION")?.number(),
                labelID: try control.member("LABEL-ID")?.text()
            )
        }
    }

    /// The JSON in UTF-8.
    public var json: [UInt8] {
        let list = assets.map { asset in
            JSONValue.object(["URI": .string(asset.uri), "DURATION": JSONValue(seconds: asset.duration)])
        }
        let control = skipControl.map { control in
            JSONValue.object([
                "OFFSET": control.offset.map(JSONValue.init(seconds:)),
                "DURATION": control.duration.map(JSONValue.init(seconds:)),
                "LABEL-ID": control.labelID.map { .string($0) },
            ])
        }
        return JSONValue.object(["ASSETS": .array(list), "SKIP-CONTROL": control]).encoded()
    }
}
