/// A Multivariant Playlist: the variants and renditions of a presentation (section 4.4.6).
///
/// Lines that were read and not changed are written back byte for byte. Changed lines are written in the form and at
/// the position that the draft specifies.
public struct MultivariantPlaylist: Sendable {
    /// The source from which the playlist was read; nil for a playlist that was created in memory.
    var source: PlaylistSource?
    /// True if a property was changed.
    var isEdited = false

    /// The protocol version (EXT-X-VERSION); nil when the tag is absent.
    public var version: UInt64? { didSet { isEdited = true } }
    /// True if every segment of every Media Playlist can be decoded independently of other segments
    /// (EXT-X-INDEPENDENT-SEGMENTS).
    public var isIndependentSegments = false { didSet { isEdited = true } }
    /// The preferred start position (EXT-X-START).
    public var start: StartTag? { didSet { isEdited = true } }
    /// The variable definitions (EXT-X-DEFINE), in order.
    public var defines: [DefineTag] = [] { didSet { isEdited = true } }
    /// The location of the steering manifest (EXT-X-CONTENT-STEERING).
    public var contentSteering: ContentSteeringTag? { didSet { isEdited = true } }
    /// Data about the presentation (EXT-X-SESSION-DATA).
    public var sessionData: [SessionDataTag] {
        get { sessionDataStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &sessionDataStorage
        }
    }
    private var sessionDataStorage: [SessionDataTag] = []
    /// The keys that a client may preload (EXT-X-SESSION-KEY).
    public var sessionKeys: [SessionKeyTag] {
        get { sessionKeysStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &sessionKeysStorage
        }
    }
    private var sessionKeysStorage: [SessionKeyTag] = []
    /// The renditions (EXT-X-MEDIA).
    public var renditions: [MediaTag] {
        get { renditionsStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &renditionsStorage
        }
    }
    private var renditionsStorage: [MediaTag] = []
    /// The variants (EXT-X-STREAM-INF). A client without other information starts with the first one.
    public var variants: [Variant] {
        get { variantsStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &variantsStorage
        }
    }
    private var variantsStorage: [Variant] = []
    /// The I-frame playlists (EXT-X-I-FRAME-STREAM-INF).
    public var iFrameVariants: [IFrameStreamInfTag] {
        get { iFrameVariantsStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &iFrameVariantsStorage
        }
    }
    private var iFrameVariantsStorage: [IFrameStreamInfTag] = []
    /// The unknown tags and comments, in order. A variant whose tag clients ignore is not among them; it keeps its
    /// position when the playlist is written.
    public var otherLines: [String] = [] { didSet { isEdited = true } }

    /// The values of the variables that were read, which Media Playlists may import.
    public internal(set) var variables: [String: String] = [:]

    /// Creates an empty playlist.
    public init() {}

    /// Parses a Multivariant Playlist as players do: what violates a rule of the format costs as little as possible.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/mixedPlaylistKinds`` for a Media Playlist, and the errors of
    ///   ``Playlist/init(parsing:options:)-([UInt8],_)``.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(Playlist(parsing: bytes, options: options))
    }

    /// Parses a Multivariant Playlist strictly.
    ///
    /// - Throws: ``PlaylistError`` with the first error, or ``RuleID/mixedPlaylistKinds`` for a Media Playlist.
    public init(strictlyParsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(Playlist(strictlyParsing: bytes, options: options))
    }

    private init(_ playlist: Playlist) throws(PlaylistError) {
        guard case .multivariant(let playlist) = playlist else {
            throw PlaylistError(
                Diagnostic(
                    rule: .mixedPlaylistKinds,
                    severity: .error,
                    line: 0,
                    message: "the playlist is a Media Playlist, not a Multivariant Playlist"
                )
            )
        }
        self = playlist
    }

    /// Returns the renditions of a group.
    public func renditions(_ type: MediaTag.MediaType, in groupID: String) -> [MediaTag] {
        renditions.filter { $0.type == type && $0.groupID == groupID }
    }
}

/// A variant: an EXT-X-STREAM-INF tag and the URI line after it (section 4.4.6.2).
@dynamicMemberLookup
public struct Variant: Hashable, Sendable {
    /// The EXT-X-STREAM-INF tag.
    public var streamInf: StreamInfTag
    /// The URI of the Media Playlist, which may be relative to the Multivariant Playlist.
    public var uri: String

    /// Creates a variant.
    public init(_ streamInf: StreamInfTag, uri: String) {
        self.streamInf = streamInf
        self.uri = uri
    }

    /// Accesses the attributes that only EXT-X-STREAM-INF has.
    public subscript<Value>(dynamicMember member: WritableKeyPath<StreamInfTag, Value>) -> Value {
        get { streamInf[keyPath: member] }
        set { streamInf[keyPath: member] = newValue }
    }

    /// Accesses the attributes that I-frame variants have too.
    public subscript<Value>(dynamicMember member: WritableKeyPath<VariantAttributes, Value>) -> Value {
        get { streamInf.attributes[keyPath: member] }
        set { streamInf.attributes[keyPath: member] = newValue }
    }
}

extension MultivariantPlaylist: Equatable {
    /// Returns whether both playlists have the same content, regardless of their sources and formatting.
    public static func == (left: MultivariantPlaylist, right: MultivariantPlaylist) -> Bool {
        left.version == right.version && left.isIndependentSegments == right.isIndependentSegments
            && left.start == right.start && left.defines == right.defines
            && left.contentSteering == right.contentSteering && left.sessionData == right.sessionData
            && left.sessionKeys == right.sessionKeys && left.renditions == right.renditions
            && left.variants == right.variants && left.iFrameVariants == right.iFrameVariants
            && left.otherLines == right.otherLines
    }
}
