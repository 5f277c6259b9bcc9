/// The stable name of a rule about playlists, such as `fairplay-iv`. docs/playlist-rules.md explains each rule.
public struct RuleID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name, in kebab-case.
    public let rawValue: String

    /// Creates the name of a rule. The name may be one that this library does not define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the name of a rule.
    public init(stringLiteral value: StaticString) { rawValue = value.description }

    /// The name.
    public var description: String { rawValue }

    /// Orders names alphabetically.
    public static func < (left: RuleID, right: RuleID) -> Bool { left.rawValue < right.rawValue }
}

/// The rules that the parser checks. The comment of each rule describes the violation. Sections are those of RFC 8216bis.
/// Strict parsing throws the first violation whose severity is error; lenient parsing reports violations and continues.
extension RuleID {
    /// The playlist begins with a byte order mark (section 4.1).
    public static let bom: RuleID = "bom"
    /// The playlist is not UTF-8 (section 4.1).
    public static let notUTF8: RuleID = "not-utf8"
    /// The playlist contains a control character other than CR and LF (section 4.1).
    public static let controlCharacter: RuleID = "control-character"
    /// The first line is not `#EXTM3U` (section 4.4.1.1).
    public static let missingExtM3U: RuleID = "missing-extm3u"
    /// The playlist contains tags of Media Playlists and tags of Multivariant Playlists (section 4.1).
    public static let mixedPlaylistKinds: RuleID = "mixed-playlist-kinds"
    /// The playlist exceeds one of ``PlaylistLimits``. Lenient parsing stops there too.
    public static let limitExceeded: RuleID = "limit-exceeded"
    /// The value of a tag does not have the form that the tag's definition requires.
    public static let malformedTagValue: RuleID = "malformed-tag-value"
    /// An attribute list does not have the form `NAME=value,…` (section 4.2).
    public static let malformedAttributeList: RuleID = "malformed-attribute-list"
    /// The value of an attribute does not have the attribute's type (section 4.2).
    public static let malformedAttributeValue: RuleID = "malformed-attribute-value"
    /// A required attribute is missing.
    public static let missingAttribute: RuleID = "missing-attribute"
    /// An attribute appears twice in one list (section 4.2).
    public static let duplicateAttribute: RuleID = "duplicate-attribute"
    /// An attribute has an enumerated string that its definition does not list (section 6.3.1).
    public static let unknownEnumeratedValue: RuleID = "unknown-enumerated-value"
    /// A tag has an unknown attribute whose name starts with `REQ-`: clients ignore the tag (section 6.3.1).
    public static let unsupportedRequirement: RuleID = "unsupported-requirement"
    /// A tag appears more than once, although it may appear only once in a playlist.
    public static let duplicateTag: RuleID = "duplicate-tag"
    /// A Media Segment has no EXTINF (section 4.4.4.1).
    public static let segmentWithoutDuration: RuleID = "segment-without-duration"
    /// No URI line follows an EXTINF tag.
    public static let durationWithoutSegment: RuleID = "duration-without-segment"
    /// No URI line follows an EXT-X-STREAM-INF tag (section 4.4.6.2).
    public static let streamInfWithoutURI: RuleID = "stream-inf-without-uri"
    /// No EXT-X-STREAM-INF tag precedes a URI line in a Multivariant Playlist.
    public static let uriWithoutStreamInf: RuleID = "uri-without-stream-inf"
    /// A line begins or ends with white space, or white space is next to a comma or a value (section 4.1).
    public static let whitespace: RuleID = "whitespace"
    /// The title of an EXTINF begins or ends with a tab (section 4.1).
    public static let tabInTitle: RuleID = "tab-in-title"
    /// An EXTINF has no comma after the duration (section 4.4.4.1).
    public static let missingComma: RuleID = "missing-comma"
    /// A line refers to a variable that no preceding EXT-X-DEFINE tag defines (section 6.3.1).
    public static let undefinedVariable: RuleID = "undefined-variable"
    /// An EXT-X-DEFINE tag does not have exactly one of NAME, IMPORT and QUERYPARAM, or has a malformed name (section
    /// 4.4.2.3).
    public static let invalidDefine: RuleID = "invalid-define"
    /// A variable is defined twice (section 4.4.2.3).
    public static let duplicateVariable: RuleID = "duplicate-variable"
    /// IMPORT names a variable that the Multivariant Playlist does not define, or no Multivariant Playlist is known
    /// (section 4.4.2.3).
    public static let unresolvedImport: RuleID = "unresolved-import"
    /// QUERYPARAM names a parameter that the playlist's URL does not have (section 4.4.2.3).
    public static let unresolvedQueryParameter: RuleID = "unresolved-queryparam"
    /// The playlist contains a tag that RFC 8216bis does not define.
    public static let unknownTag: RuleID = "unknown-tag"
    /// A tag has an attribute that its definition does not list.
    public static let unknownAttribute: RuleID = "unknown-attribute"
    /// A Media Playlist has no EXT-X-TARGETDURATION (section 4.4.3.1).
    public static let missingTargetDuration: RuleID = "missing-target-duration"
}
