/// The form of an attribute's value in the text of a playlist (section 4.2).
enum AttributeType {
    /// A string in quotation marks.
    case quoted
    /// Comma-separated codecs in quotation marks.
    case codecs
    /// A date in quotation marks.
    case date
    /// A number, a hexadecimal sequence or a resolution, without quotation marks.
    case unquoted
    /// One of the strings, without quotation marks.
    case enumerated([String])

    private static let flag = AttributeType.enumerated(["YES", "NO"])

    /// The types of the attributes that the draft defines for a tag.
    static func types(of tag: TagName) -> [String: AttributeType] { all[tag] ?? [:] }

    private static let all: [TagName: [String: AttributeType]] = [
        .start: ["TIME-OFFSET": .unquoted, "PRECISE": flag],
        .define: ["NAME": .quoted, "VALUE": .quoted, "IMPORT": .quoted, "QUERYPARAM": .quoted],
        .partInf: ["PART-TARGET": .unquoted],
        .serverControl: [
            "CAN-SKIP-UNTIL": .unquoted, "CAN-SKIP-DATERANGES": flag, "HOLD-BACK": .unquoted,
            "PART-HOLD-BACK": .unquoted, "CAN-BLOCK-RELOAD": flag,
        ],
        .key: key, .sessionKey: key,
        .map: ["URI": .quoted, "BYTERANGE": .quoted],
        .part: ["URI": .quoted, "DURATION": .unquoted, "INDEPENDENT": flag, "BYTERANGE": .quoted, "GAP": flag],
        .dateRange: [
            "ID": .quoted, "CLASS": .quoted, "START-DATE": .date, "CUE": .quoted, "END-DATE": .date,
            "DURATION": .unquoted, "PLANNED-DURATION": .unquoted, "SCTE35-CMD": .unquoted, "SCTE35-OUT": .unquoted,
            "SCTE35-IN": .unquoted, "END-ON-NEXT": .enumerated(["YES"]),
        ],
        .skip: ["SKIPPED-SEGMENTS": .unquoted, "RECENTLY-REMOVED-DATERANGES": .quoted],
        .preloadHint: [
            "TYPE": .enumerated(["PART", "MAP"]), "URI": .quoted, "BYTERANGE-START": .unquoted,
            "BYTERANGE-LENGTH": .unquoted,
        ],
        .renditionReport: ["URI": .quoted, "LAST-MSN": .unquoted, "LAST-PART": .unquoted],
        .media: [
            "TYPE": .enumerated(["AUDIO", "VIDEO", "SUBTITLES", "CLOSED-CAPTIONS"]), "URI": .quoted,
            "GROUP-ID": .quoted, "LANGUAGE": .quoted, "ASSOC-LANGUAGE": .quoted, "NAME": .quoted,
            "STABLE-RENDITION-ID": .quoted, "DEFAULT": flag, "AUTOSELECT": flag, "FORCED": flag,
            "INSTREAM-ID": .quoted, "BIT-DEPTH": .unquoted, "SAMPLE-RATE": .unquoted, "CHARACTERISTICS": .quoted,
            "CHANNELS": .quoted,
        ],
        .streamInf: variant.merging([
            "FRAME-RATE": .unquoted, "AUDIO": .quoted, "SUBTITLES": .quoted,
        ]) { $1 },
        .iFrameStreamInf: variant.merging(["URI": .quoted]) { $1 },
        .sessionData: [
            "DATA-ID": .quoted, "VALUE": .quoted, "URI": .quoted, "FORMAT": .enumerated(["JSON", "RAW"]),
            "LANGUAGE": .quoted,
        ],
        .contentSteering: ["SERVER-URI": .quoted, "PATHWAY-ID": .quoted],
    ]

    private static let key: [String: AttributeType] = [
        "METHOD": .enumerated(["NONE", "AES-128", "SAMPLE-AES", "SAMPLE-AES-CTR", "AES-256-GCM"]), "URI": .quoted,
        "IV": .unquoted, "KEYFORMAT": .quoted, "KEYFORMATVERSIONS": .quoted,
    ]

    /// CLOSED-CAPTIONS is left out: it is a quoted string or the keyword NONE.
    private static let variant: [String: AttributeType] = [
        "BANDWIDTH": .unquoted, "AVERAGE-BANDWIDTH": .unquoted, "SCORE": .unquoted, "CODECS": .codecs,
        "SUPPLEMENTAL-CODECS": .codecs, "RESOLUTION": .unquoted,
        "HDCP-LEVEL": .enumerated(["TYPE-0", "TYPE-1", "NONE"]), "ALLOWED-CPC": .quoted,
        "VIDEO-RANGE": .enumerated(["SDR", "HLG", "PQ"]), "REQ-VIDEO-LAYOUT": .quoted, "STABLE-VARIANT-ID": .quoted,
        "VIDEO": .quoted, "PATHWAY-ID": .quoted,
    ]
}
