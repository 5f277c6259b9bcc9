extension LintRule {
    /// The rules for variants, renditions, session data and content steering, in the order of docs/playlist-rules.md.
    /// The other files of this directory contain them.
    static let multivariantRules: [LintRule] =
        variantListRules + codecRules + codecParameterRules + variantAttributeRules + identifierRules
        + renditionGroupRules + renditionRules
        + sessionDataRules
}

extension MultivariantSubject {
    /// The attributes of the variants, then those of the I-frame variants, each with the line of its tag.
    var allAttributes: [(attributes: VariantAttributes, line: PlaylistLine)] {
        variants.map { ($0.variant.streamInf.attributes, $0.line) }
            + iFrameVariants.map { ($0.tag.attributes, $0.line) }
    }
}

/// Text functions that several rules share.
enum LintText {
    /// Returns the first values of a list, quoted for a message, and the number of the others.
    static func quoted(_ values: [String], limit: Int = 5) -> String {
        let shown = values.prefix(limit).map(ReadingContext.quoted).joined(separator: ", ")
        return values.count > limit ? "\(shown) and \(values.count - limit) more" : shown
    }

    /// Returns whether a text consists only of ASCII letters, digits and the bytes of `others`.
    static func isAlphanumeric(_ text: some StringProtocol, and others: StaticString = "") -> Bool {
        let allowed = others.withUTF8Buffer { Array($0) }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: allowed.contains(byte)
            }
        }
    }
}
