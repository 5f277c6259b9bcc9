/// The stable name of a rule about playlists, such as `fairplay-iv`. docs/playlist-rules.md explains each.
public struct RuleID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name, in kebab-case.
    public let rawValue: String

    /// Makes a rule's name; it need not be one that this library knows.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a rule's name.
    public init(stringLiteral value: StaticString) { rawValue = value.description }

    /// The name.
    public var description: String { rawValue }

    /// Alphabetical order.
    public static func < (left: RuleID, right: RuleID) -> Bool { left.rawValue < right.rawValue }
}

/// The rules that a reader keeps. Strict reading throws the first error among them.
extension RuleID {
    /// The playlist begins with a byte order mark (section 4.1).
    public static let bom: RuleID = "bom"
    /// The playlist is not UTF-8 (section 4.1).
    public static let notUTF8: RuleID = "not-utf8"
    /// A control character other than CR and LF (section 4.1).
    public static let controlCharacter: RuleID = "control-character"
    /// The first line is not `#EXTM3U` (section 4.4.1.1).
    public static let missingExtM3U: RuleID = "missing-extm3u"
    /// Tags of Media Playlists stand beside tags of Multivariant Playlists (section 4.1).
    public static let mixedPlaylistKinds: RuleID = "mixed-playlist-kinds"
    /// One of ``PlaylistLimits`` was passed. Lenient reading stops there too.
    public static let limitExceeded: RuleID = "limit-exceeded"
    /// A tag's value is not of the form that its definition gives.
    public static let malformedTagValue: RuleID = "malformed-tag-value"
    /// An attribute list is not `NAME=value,…` (section 4.2).
    public static let malformedAttributeList: RuleID = "malformed-attribute-list"
    /// An attribute's value is not of its type (section 4.2).
    public static let malformedAttributeValue: RuleID = "malformed-attribute-value"
    /// A required attribute is missing.
    public static let missingAttribute: RuleID = "missing-attribute"
    /// An attribute appears twice in one list (section 4.2).
    public static let duplicateAttribute: RuleID = "duplicate-attribute"
    /// An enumerated string that the attribute does not define: clients ignore the tag (section 6.3.1).
    public static let unknownEnumeratedValue: RuleID = "unknown-enumerated-value"
    /// An unknown attribute whose name starts with `REQ-`: clients ignore the tag (section 6.3.1).
    public static let unsupportedRequirement: RuleID = "unsupported-requirement"
    /// A tag that may stand once in a playlist stands there again.
    public static let duplicateTag: RuleID = "duplicate-tag"
    /// A media segment without EXTINF (section 4.4.4.1).
    public static let segmentWithoutDuration: RuleID = "segment-without-duration"
    /// An EXTINF tag that no URI line follows.
    public static let durationWithoutSegment: RuleID = "duration-without-segment"
    /// An EXT-X-STREAM-INF tag that no URI line follows (section 4.4.6.2).
    public static let streamInfWithoutURI: RuleID = "stream-inf-without-uri"
    /// A URI line in a Multivariant Playlist that no EXT-X-STREAM-INF tag precedes.
    public static let uriWithoutStreamInf: RuleID = "uri-without-stream-inf"
    /// White space at the start or the end of a line (section 4.1).
    public static let whitespace: RuleID = "whitespace"
    /// A reference to a variable that no EXT-X-DEFINE tag above it defines (section 6.3.1).
    public static let undefinedVariable: RuleID = "undefined-variable"
    /// An EXT-X-DEFINE tag without exactly one of NAME, IMPORT and QUERYPARAM, or with a malformed name (section
    /// 4.4.2.3).
    public static let invalidDefine: RuleID = "invalid-define"
    /// A variable is defined twice (section 4.4.2.3).
    public static let duplicateVariable: RuleID = "duplicate-variable"
    /// IMPORT names a variable that the Multivariant Playlist does not define, or there is none (section 4.4.2.3).
    public static let unresolvedImport: RuleID = "unresolved-import"
    /// QUERYPARAM names a parameter that the playlist's URL does not have (section 4.4.2.3).
    public static let unresolvedQueryParameter: RuleID = "unresolved-queryparam"
    /// A tag that the draft does not define.
    public static let unknownTag: RuleID = "unknown-tag"
    /// An attribute that the tag's definition does not list.
    public static let unknownAttribute: RuleID = "unknown-attribute"
    /// A Media Playlist without EXT-X-TARGETDURATION (section 4.4.3.1).
    public static let missingTargetDuration: RuleID = "missing-target-duration"
}
