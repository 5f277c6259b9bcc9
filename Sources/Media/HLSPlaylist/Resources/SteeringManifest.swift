import TextCoding

/// The order in which a client uses the pathways of a presentation: the JSON resource at the SERVER-URI of
/// EXT-X-CONTENT-STEERING (section 7).
///
///     {"VERSION": 1, "TTL": 300, "RELOAD-URI": "…", "PATHWAY-PRIORITY": ["A", "B"],
///      "PATHWAY-CLONES": [{"BASE-ID": "A", "ID": "B", "URI-REPLACEMENT": {"HOST": "…", "PARAMS": {…},
///                          "PER-VARIANT-URIS": {…}, "PER-RENDITION-URIS": {…}}}]}
public struct SteeringManifest: Hashable, Sendable {
    /// A pathway that is like another one, except for its URIs.
    public struct Clone: Hashable, Sendable {
        /// The ID of the pathway that is cloned.
        public var baseID: String
        /// The ID of the new pathway.
        public var id: String
        /// The host that replaces that of the URIs; nil if it stays.
        public var host: String?
        /// The query parameters that are added to the URIs, or replaced.
        public var parameters: [String: String]
        /// The URIs of variants, by STABLE-VARIANT-ID.
        public var variantURIs: [String: String]
        /// The URIs of renditions, by STABLE-RENDITION-ID.
        public var renditionURIs: [String: String]

        /// Creates a clone.
        public init(
            of baseID: String,
            id: String,
            host: String? = nil,
            parameters: [String: String] = [:],
            variantURIs: [String: String] = [:],
            renditionURIs: [String: String] = [:]
        ) {
            self.baseID = baseID
            self.id = id
            self.host = host
            self.parameters = parameters
            self.variantURIs = variantURIs
            self.renditionURIs = renditionURIs
        }
    }

    /// The time after which a client reloads the manifest, in seconds.
    public var timeToLive: Double
    /// The URI for reloading, which may be relative to the manifest; nil means the same URI.
    public var reloadURI: String?
    /// The IDs of the pathways, the preferred one first.
    public var pathwayPriority: [String]
    /// The pathways that are clones of others.
    public var clones: [Clone]

    /// Creates a manifest; `timeToLive` is in seconds.
    public init(
        timeToLive: Double = 300,
        reloadURI: String? = nil,
        pathwayPriority: [String],
        clones: [Clone] = []
    ) {
        self.timeToLive = timeToLive
        self.reloadURI = reloadURI
        self.pathwayPriority = pathwayPriority
        self.clones = clones
    }

    /// Parses a manifest. Unknown members are ignored. The time to live is 300 seconds if it is absent.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/malformedJSON``, also for a version other than 1, which clients must
    ///   not use.
    public init(parsing bytes: [UInt8]) throws(PlaylistError) {
        let json = try JSONResource(parsing: bytes)
        let version = try json.required("VERSION").wholeNumber()
        guard version == 1 else { throw JSONResource.failure("/VERSION is \(version), but only version 1 is defined") }
        timeToLive = try json.member("TTL")?.number() ?? 300
        reloadURI = try json.member("RELOAD-URI")?.text()
        pathwayPriority = try json.required("PATHWAY-PRIORITY").texts()
        clones = []
        for item in try json.member("PATHWAY-CLONES")?.items() ?? [] {
            let replacement = try item.required("URI-REPLACEMENT")
            clones.append(
                Clone(
                    of: try item.required("BASE-ID").text(),
                    id: try item.required("ID").text(),
                    host: try replacement.member("HOST")?.text(),
                    parameters: try replacement.member("PARAMS")?.dictionary() ?? [:],
                    variantURIs: try replacement.member("PER-VARIANT-URIS")?.dictionary() ?? [:],
                    renditionURIs: try replacement.member("PER-RENDITION-URIS")?.dictionary() ?? [:]
                )
            )
        }
    }

    /// The JSON in UTF-8.
    public var json: [UInt8] {
        let list = clones.map { clone in
            JSONValue.object([
                "BASE-ID": .string(clone.baseID), "ID": .string(clone.id),
                "URI-REPLACEMENT": .object([
                    "HOST": clone.host.map { .string($0) }, "PARAMS": .strings(clone.parameters),
                    "PER-VARIANT-URIS": .strings(clone.variantURIs),
                    "PER-RENDITION-URIS": .strings(clone.renditionURIs),
                ]),
            ])
        }
        return JSONValue.object([
            "VERSION": .integer(1), "TTL": JSONValue(seconds: timeToLive), "RELOAD-URI": reloadURI.map { .string($0) },
            "PATHWAY-PRIORITY": .array(pathwayPriority.map { .string($0) }),
            "PATHWAY-CLONES": list.isEmpty ? nil : .array(list),
        ]).encoded()
    }
}
