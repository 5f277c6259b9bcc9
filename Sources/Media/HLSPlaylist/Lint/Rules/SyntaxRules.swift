extension LintRule {
    /// The rules for the syntax of lines, tags and attributes. The reader checks them; these entries describe its
    /// diagnostics.
    static let syntaxRules: [LintRule] = [
        syntax(.bom, "4.1", "the file must not begin with a byte order mark"),
        syntax(.notUTF8, "4.1", "every line must be UTF-8"),
        syntax(.controlCharacter, "4.1", "a line must not contain control characters"),
        syntax(.missingExtM3U, "4.4.1.1", "the first line must be #EXTM3U"),
        syntax(
            .mixedPlaylistKinds,
            "4.4.6",
            "a playlist must not have tags of both Media Playlists and Multivariant Playlists"
        ),
        syntax(.limitExceeded, "-", "lines, values and numbers of tags must not exceed the documented limits"),
        syntax(.malformedTagValue, "4.4", "the value of a tag without attributes must match the grammar of the tag"),
        syntax(
            .malformedAttributeList,
            "4.2",
            "an attribute list must consist of NAME=value pairs separated by commas"
        ),
        syntax(.malformedAttributeValue, "4.2", "the value of an attribute must have the type that the draft defines"),
        syntax(.missingAttribute, "4.4", "a tag must have all attributes that it always requires"),
        syntax(.duplicateAttribute, "4.2", "an attribute must not appear more than once in a tag"),
        syntax(.unknownEnumeratedValue, "6.3.1", "an enumerated string should be one of the defined values"),
        syntax(.unsupportedRequirement, "6.3.1", "attributes that begin with REQ- should be defined in the draft"),
        syntax(.duplicateTag, "4.4.2", "a tag must not be repeated if it may appear only once"),
        syntax(.segmentWithoutDuration, "4.4.4.1", "an EXTINF must precede every segment URI", .media),
        syntax(.durationWithoutSegment, "4.4.4.1", "a segment URI must follow every EXTINF", .media),
        syntax(.streamInfWithoutURI, "4.4.6.2", "a URI line must follow every EXT-X-STREAM-INF", .multivariant),
        syntax(.uriWithoutStreamInf, "4.4.6.2", "an EXT-X-STREAM-INF must precede every URI line", .multivariant),
        syntax(.whitespace, "4.1", "a line must not have white space at its ends or next to commas"),
        syntax(.tabInTitle, "4.1", "the title of an EXTINF must not begin or end with a tab", .media),
        syntax(.missingComma, "4.4.4.1", "an EXTINF must have a comma after the duration", .media),
        syntax(
            .undefinedVariable,
            "6.3.1",
            "a preceding EXT-X-DEFINE must define every variable that a line refers to"
        ),
        syntax(
            .invalidDefine,
            "4.4.2.3",
            "an EXT-X-DEFINE must have exactly one of NAME with VALUE, IMPORT and QUERYPARAM"
        ),
        syntax(.duplicateVariable, "4.4.2.3", "a variable must not be defined more than once"),
        syntax(.unresolvedImport, "4.4.2.3", "the Multivariant Playlist must define every imported variable", .media),
        syntax(
            .unresolvedQueryParameter,
            "4.4.2.3",
            "the playlist's URL must have every query parameter that QUERYPARAM names"
        ),
        syntax(.unknownTag, "6.3.1", "lines that begin with #EXT should be tags that the draft defines"),
        syntax(.unknownAttribute, "6.3.1", "attributes should be defined in the draft"),
        syntax(.missingTargetDuration, "4.4.3.1", "a Media Playlist must have EXT-X-TARGETDURATION", .media),
    ]

    private static func syntax(_ id: RuleID, _ section: String, _ summary: String, _ subject: Subject = .any)
        -> LintRule
    {
        LintRule(id, id.readingSeverity, subject, section: section, summary, .syntax)
    }
}
