extension LintRule {
    /// The form of lines, tags and attributes. The reader finds out; these entries describe what it reports.
    static let syntaxRules: [LintRule] = [
        syntax(.bom, "4.1", "the file does not begin with a byte order mark"),
        syntax(.notUTF8, "4.1", "every line is UTF-8"),
        syntax(.controlCharacter, "4.1", "no line holds a control character"),
        syntax(.missingExtM3U, "4.4.1.1", "the first line is #EXTM3U"),
        syntax(.mixedPlaylistKinds, "4.4.6", "tags of Multivariant and of Media Playlists do not stand in one file"),
        syntax(.limitExceeded, "-", "no line, value or number of tags passes the documented limits"),
        syntax(.malformedTagValue, "4.4", "the value of a tag without attributes fits the tag's grammar"),
        syntax(.malformedAttributeList, "4.2", "an attribute list is NAME=value between commas, and nothing else"),
        syntax(.malformedAttributeValue, "4.2", "the value of an attribute is of the type that its definition gives"),
        syntax(.missingAttribute, "4.4", "a tag has the attributes that it must have whatever else it holds"),
        syntax(.duplicateAttribute, "4.2", "no attribute stands twice in one tag"),
        syntax(.unknownEnumeratedValue, "6.3.1", "an enumerated string has one of the defined values"),
        syntax(.unsupportedRequirement, "6.3.1", "no attribute that begins with REQ- is unknown"),
        syntax(.duplicateTag, "4.4.2", "a tag that may stand once stands once"),
        syntax(.segmentWithoutDuration, "4.4.4.1", "every segment URI has an EXTINF before it", .media),
        syntax(.durationWithoutSegment, "4.4.4.1", "every EXTINF has a segment URI after it", .media),
        syntax(.streamInfWithoutURI, "4.4.6.2", "every EXT-X-STREAM-INF has a URI line after it", .multivariant),
        syntax(.uriWithoutStreamInf, "4.4.6.2", "every URI line has an EXT-X-STREAM-INF before it", .multivariant),
        syntax(.whitespace, "4.1", "no line begins or ends with spaces"),
        syntax(.undefinedVariable, "6.3.1", "an EXT-X-DEFINE above defines every variable that is referred to"),
        syntax(.invalidDefine, "4.4.2.3", "an EXT-X-DEFINE has one of NAME with VALUE, IMPORT and QUERYPARAM"),
        syntax(.duplicateVariable, "4.4.2.3", "no variable is defined twice"),
        syntax(.unresolvedImport, "4.4.2.3", "the Multivariant Playlist defines every imported variable", .media),
        syntax(.unresolvedQueryParameter, "4.4.2.3", "the playlist's URL has every query parameter that is asked for"),
        syntax(.unknownTag, "6.3.1", "the draft defines every line that begins with #EXT"),
        syntax(.unknownAttribute, "6.3.1", "the draft defines every attribute"),
        syntax(.missingTargetDuration, "4.4.3.1", "a Media Playlist has EXT-X-TARGETDURATION", .media),
    ]

    private static func syntax(_ id: RuleID, _ section: String, _ summary: String, _ subject: Subject = .any)
        -> LintRule
    {
        LintRule(id, id.readingSeverity, subject, section: section, summary, .syntax)
    }
}
