/// Functions for language tags (RFC 5646) and for the matching of language tags (RFC 4647).
///
///     tag     = first *( "-" subtag )
///     first   = 2*8ALPHA / "x" / "i"       "x" and "i" must be followed by a subtag
///     subtag  = 1*8( ALPHA / DIGIT )
///
/// Language tags are case-insensitive.
public enum LanguageTag {
    /// Returns whether a tag has the form above. Whether its subtags are registered is not checked.
    public static func isWellFormed(_ tag: String) -> Bool {
        let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = subtags.first, first.allSatisfy(isLetter) else { return false }
        let isSingleton = first.count == 1 && subtags.count > 1 && [0x78, 0x69].contains((first.first ?? 0) | 0x20)
        guard isSingleton || (2...8).contains(first.count) else { return false }
        return subtags.dropFirst().allSatisfy { subtag in
            (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Returns the ranges that lookup tries for a range, in lowercase, the longest first (RFC 4647, section 3.4):
    /// `zh-Hant-CN-x-p` returns `zh-hant-cn-x-p`, `zh-hant-cn`, `zh-hant`, `zh`. A range of more than 16 subtags is
    /// truncated first.
    static func truncations(of range: String) -> [String] {
        var subtags = range.lowercased().split(separator: "-", maxSplits: 16).prefix(16)
        var result: [String] = []
        while !subtags.isEmpty {
            result.append(subtags.joined(separator: "-"))
            subtags.removeLast()
            // A subtag of a single letter or digit only introduces the subtags after it.
            if subtags.last?.utf8.count == 1 { subtags.removeLast() }
        }
        return result
    }

    /// Returns whether a tag is equal to the range or more specific: `en` matches `en-GB` (RFC 4647, section 3.3.1).
    static func matches(_ range: String, _ tag: String) -> Bool {
        let range = range.lowercased()
        let tag = tag.lowercased()
        return tag == range || tag.hasPrefix(range + "-")
    }
}

/// The value of CHANNELS (section 4.4.6.1).
///
///     channels    = count *( "/" [ identifier *( "," identifier ) ] )
///     identifier  = 1*( "A"-"Z" / DIGIT / "-" )
///
/// The first list contains audio coding identifiers, the second special usage identifiers. The second list requires a
/// non-empty first list.
enum ChannelParameters {
    /// The special usage identifiers of the draft. `BED-` followed by a number is also defined.
    private static let usages: Set<String> = ["BINAURAL", "IMMERSIVE", "DOWNMIX", "DOF-3", "DOF-6"]

    static func isWellFormed(_ text: String) -> Bool {
        let parameters = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let count = parameters.first, !count.isEmpty, count.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            UInt64(count) != nil
        else { return false }
        if parameters.count > 2, parameters[1].isEmpty { return false }
        return parameters.dropFirst().allSatisfy { list in
            list.isEmpty
                || list.split(separator: ",", omittingEmptySubsequences: false)
                    .allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isIdentifierByte) }
        }
    }

    /// Returns whether a client that implements this draft recognizes all parameters. Every audio coding identifier is
    /// accepted, because codecs define them.
    static func isRecognized(_ text: String) -> Bool {
        let parameters = text.split(separator: "/", omittingEmptySubsequences: false)
        guard isWellFormed(text), parameters.count <= 3 else { return false }
        guard parameters.count == 3 else { return true }
        return parameters[2].split(separator: ",").allSatisfy { usage in
            usages.contains(String(usage)) || (usage.hasPrefix("BED-") && UInt64(usage.dropFirst(4)) != nil)
        }
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x30...0x39, 0x2D: true
        default: false
        }
    }
}
