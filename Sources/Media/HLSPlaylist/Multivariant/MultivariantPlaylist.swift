/// A Multivariant Playlist: the variants and renditions of a presentation (section 4.4.6).
///
/// What was read and not changed is written back byte for byte. What was changed is written in the form and the place
/// that the draft gives it.
public struct MultivariantPlaylist: Sendable {
    /// Where it was read; nil when it was made.
    var source: PlaylistSource?
    /// Whether anything was changed.
    var isEdited = false

    /// The protocol version; nil when the tag is absent: EXT-X-VERSION.
    public var version: UInt64? { didSet { isEdited = true } }
    /// Whether every segment of every Media Playlist can be decoded without another: EXT-X-INDEPENDENT-SEGMENTS.
    public var isIndependentSegments = false { didSet { isEdited = true } }
    /// Where to start playing.
    public var start: StartTag? { didSet { isEdited = true } }
    /// The variables, in order.
    public var defines: [DefineTag] = [] { didSet { isEdited = true } }
    /// Where the steering manifest is.
    public var contentSteering: ContentSteeringTag? { didSet { isEdited = true } }
    /// Data about the presentation.
    public var sessionData: [SessionDataTag] {
        get { sessionDataStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &sessionDataStorage
        }
    }
    private var sessionDataStorage: [SessionDataTag] = []
    /// Keys that a client may fetch at once.
    public var sessionKeys: [SessionKeyTag] {
        get { sessionKeysStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &sessionKeysStorage
        }
    }
    private var sessionKeysStorage: [SessionKeyTag] = []
    /// The renditions.
    public var renditions: [MediaTag] {
        get { renditionsStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &renditionsStorage
        }
    }
    private var renditionsStorage: [MediaTag] = []
    /// The variants; a client that knows nothing else starts with the first.
    public var variants: [Variant] {
        get { variantsStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &variantsStorage
        }
    }
    private var variantsStorage: [Variant] = []
    /// The Media Playlists of I-frames.
    public var iFrameVariants: [IFrameStreamInfTag] {
        get { iFrameVariantsStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &iFrameVariantsStorage
        }
    }
    private var iFrameVariantsStorage: [IFrameStreamInfTag] = []
    /// Unknown tags and comments, in order. A variant whose tag clients ignore is not among them; it stays where it is
    /// when the playlist is written.
    public var otherLines: [String] = [] { didSet { isEdited = true } }

    /// The values of the variables that were read; Media Playlists may import them.
    public internal(set) var variables: [String: String] = [:]

    /// Makes an empty playlist.
    public init() {}

    /// Reads a Multivariant Playlist strictly.
    ///
    /// - Throws: ``PlaylistError`` with the first error, or ``RuleID/mixedPlaylistKinds`` for a Media Playlist.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        guard case .multivariant(let playlist) = try Playlist(parsing: bytes, options: options) else {
            throw PlaylistError(
                Diagnostic(
                    rule: .mixedPlaylistKinds,
                    severity: .error,
                    line: 0,
                    message: "this is not a Multivariant Playlist"
                )
            )
        }
        self = playlist
    }

    /// The renditions of a group.
    public func renditions(_ type: MediaTag.MediaType, in groupID: String) -> [MediaTag] {
        renditions.filter { $0.type == type && $0.groupID == groupID }
    }
}

/// A variant stream: an EXT-X-STREAM-INF tag and the URI line behind it (section 4.4.6.2).
@dynamicMemberLookup
public struct Variant: Hashable, Sendable {
    /// The tag.
    public var streamInf: StreamInfTag
    /// Its Media Playlist, relative to the playlist or absolute.
    public var uri: String

    /// Makes a variant.
    public init(_ streamInf: StreamInfTag, uri: String) {
        self.streamInf = streamInf
        self.uri = uri
    }

    /// The tag's attributes.
    public subscript<Value>(dynamicMember member: WritableKeyPath<StreamInfTag, Value>) -> Value {
        get { streamInf[keyPath: member] }
        set { streamInf[keyPath: member] = newValue }
    }

    /// What it shares with I-frame variants.
    public subscript<Value>(dynamicMember member: WritableKeyPath<VariantAttributes, Value>) -> Value {
        get { streamInf.attributes[keyPath: member] }
        set { streamInf.attributes[keyPath: member] = newValue }
    }
}

extension MultivariantPlaylist: Equatable {
    /// Whether both say the same; where and how they were written does not matter.
    public static func == (left: MultivariantPlaylist, right: MultivariantPlaylist) -> Bool {
        left.version == right.version && left.isIndependentSegments == right.isIndependentSegments
            && left.start == right.start && left.defines == right.defines
            && left.contentSteering == right.contentSteering && left.sessionData == right.sessionData
            && left.sessionKeys == right.sessionKeys && left.renditions == right.renditions
            && left.variants == right.variants && left.iFrameVariants == right.iFrameVariants
            && left.otherLines == right.otherLines
    }
}
