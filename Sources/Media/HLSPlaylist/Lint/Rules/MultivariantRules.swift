extension LintRule {
    /// Variants, renditions, session data and content steering, in the order of docs/playlist-rules.md. The files
    /// beside this one hold them.
    static let multivariantRules: [LintRule] =
        variantListRules + codecRules + variantAttributeRules + identifierRules + renditionGroupRules + renditionRules
        + sessionDataRules
}

extension MultivariantSubject {
    /// What variants and I-frame variants have in common, each with the line of its tag: first the variants, then the
    /// others.
    var allAttributes: [(attributes: VariantAttributes, line: PlaylistLine)] {
        variants.map { ($0.variant.streamInf.attributes, $0.line) }
            + iFrameVariants.map { ($0.tag.attributes, $0.line) }
    }
}

/// What several rules say or ask.
enum LintText {
    /// Values of a playlist for a message: the first few, quoted.
    static func quoted(_ values: [String], limit: Int = 5) -> String {
        let shown = values.prefix(limit).map(ReadingContext.quoted).joined(separator: ", ")
        return values.count > limit ? "\(shown) and \(values.count - limit) more" : shown
    }

    /// Whether text has nothing but ASCII letters, digits and the bytes of `others`.
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
