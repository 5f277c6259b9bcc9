extension LintRule {
    /// The rules for the parameters of CODECS and for FRAME-RATE.
    static let codecParameterRules: [LintRule] = [
        LintRule(
            "codecs-parameters",
            .error,
            .multivariant,
            section: "4.4.6.2",
            "the parameters of a format in CODECS must have the form that the format defines",
            .multivariant { subject, findings in
                var known: [String: String?] = [:]
                for (attributes, line) in subject.allAttributes {
                    for element in attributes.codecs where Codec.isWellFormed(element) {
                        let expected = known[element] ?? CodecParameters.expectation(element)
                        known[element] = .some(expected)
                        guard let expected else { continue }
                        findings.report(
                            line,
                            attribute: "CODECS",
                            "\(ReadingContext.quoted(element)) in CODECS is not a format that a player can select: "
                                + "write \(expected)"
                        )
                        break
                    }
                }
            }
        )
    ]
}

/// The parameters that follow the four characters of a format in CODECS (RFC 6381, and the annexes of the formats).
private enum CodecParameters {
    /// Returns the form that an element should have; nil if it has the form, or if its format has no fixed form.
    static func expectation(_ element: String) -> String? {
        let parts = element.split(separator: ".", omittingEmptySubsequences: false)
        let values = parts.dropFirst()
        switch parts.first?.lowercased() {
        case "avc1", "avc2", "avc3", "avc4":
            // Old playlists have the profile and the level as decimal numbers.
            let isOld = values.count == 2 && values.allSatisfy { isDecimal($0, 1...3) }
            let isHexadecimal = values.count == 1 && values.allSatisfy { Self.isHexadecimal($0, 6...6) }
            return isOld || isHexadecimal ? nil : "six hexadecimal digits after the full stop, such as avc1.64001F"
        case "hvc1", "hev1":
            return isHEVC(Array(values)) ? nil : "profile, compatibility, tier and level, such as hvc1.2.4.L123.B0"
        case "mp4a": return isMP4Audio(Array(values)) ? nil : "the object type, such as mp4a.40.2 for AAC-LC"
        case "dvh1", "dvhe", "dva1", "dvav", "dav1":
            let isWhole = values.count == 2 && values.allSatisfy { isDecimal($0, 2...2) }
            return isWhole ? nil : "profile and level with two digits each, such as dvh1.05.06"
        case "av01":
            let values = Array(values)
            let isWhole =
                values.count >= 3 && isDecimal(values[0], 1...1) && isDecimal(values[1].dropLast(), 2...2)
                && ["M", "H"].contains(values[1].suffix(1)) && isDecimal(values[2], 2...2)
            return isWhole ? nil : "profile, level with tier, and bit depth, such as av01.0.08M.08"
        case "vp09":
            let isWhole = values.count >= 3 && values.allSatisfy { isDecimal($0, 2...2) }
            return isWhole ? nil : "profile, level and bit depth with two digits each, such as vp09.00.40.08"
        default: return nil
        }
    }

    /// ISO/IEC 14496-15, annex E: profile space and profile, compatibility flags, tier and level, constraint bytes.
    private static func isHEVC(_ values: [Substring]) -> Bool {
        guard (3...9).contains(values.count) else { return false }
        let profile = values[0].drop { "ABC".contains($0) }
        return values[0].count - profile.count <= 1 && isDecimal(profile, 1...2) && isHexadecimal(values[1], 1...8)
            && ["L", "H"].contains(values[2].prefix(1)) && isDecimal(values[2].dropFirst(), 1...3)
            // ffmpeg writes B01 for the constraint bytes, which players accept.
            && values.dropFirst(3).allSatisfy { isHexadecimal($0, 1...12) }
    }

    /// RFC 6381, section 3.3: the object type indication, and with 40 the audio object type.
    private static func isMP4Audio(_ values: [Substring]) -> Bool {
        guard let type = values.first, isHexadecimal(type, 2...2), values.count <= 2 else { return false }
        return type == "40" ? values.count == 2 && isDecimal(values[1], 1...2) : values.count == 1
    }

    private static func isDecimal(_ text: Substring, _ counts: ClosedRange<Int>) -> Bool {
        counts.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isHexadecimal(_ text: Substring, _ counts: ClosedRange<Int>) -> Bool {
        counts.contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF) }
    }
}
