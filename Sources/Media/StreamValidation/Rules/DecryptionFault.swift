import HLSPlaylist
import TextCoding

/// A rule about the result of trying a key on a segment or a Partial Segment.
struct DecryptionFault: Sendable {
    let id: RuleID
    let level: ValidationRule.Level
    let summary: String
    let advice: String
    /// Returns the message about content that violates the rule; nil for other content.
    let message: @Sendable (MeasuredDecryption) -> String?

    static let wrongKey = DecryptionFault(
        id: "key-wrong",
        level: .critical,
        summary: "The key of the EXT-X-KEY opens the content.",
        advice: "Register the key that the packager used, or package the content again with the registered key."
    ) { found in
        guard found.verdict == .wrongKey, found.opensWith == nil else { return nil }
        return "The key \(found.key.printedURI) does not open the \(found.subject) (\(found.proof))."
    }

    static let wrongVector = DecryptionFault(
        id: "key-iv-wrong",
        level: .critical,
        summary: "The initialization vector is that with which the content was encrypted.",
        advice: "Write the vector of the packager into tenc, and register the same with the key."
    ) { found in
        guard found.verdict == .wrongIV else { return nil }
        let remedy = found.opensWithIV.map { "; it opens with \($0)" } ?? ""
        return "The key \(found.key.printedURI) is right, but the initialization vector of the \(found.subject) is "
            + "wrong (\(found.proof))\(remedy)."
    }

    static let notEncrypted = DecryptionFault(
        id: "key-not-encrypted",
        level: .critical,
        summary: "Content that is declared as encrypted is encrypted.",
        advice: "Encrypt the segment, or declare it as clear with EXT-X-KEY:METHOD=NONE and in its init segment."
    ) { found in
        guard found.verdict == .notEncrypted else { return nil }
        return "The \(found.subject) is declared as encrypted, but is clear (\(found.proof))."
    }

    static let boundary = DecryptionFault(
        id: "key-boundary",
        level: .critical,
        summary: "EXT-X-KEY changes at the segment where the key of the content changes.",
        advice: "Move EXT-X-KEY to the segment at which the packager changes the key."
    ) { found in
        guard case .neighbor(let isBefore, let distance)? = found.opensWith else { return nil }
        let text = counted(distance, "segment")
        return isBefore
            ? "The \(found.subject) opens with the key of the period before: EXT-X-KEY stands \(text) too early."
            : "The \(found.subject) opens with the key of the next period: EXT-X-KEY stands \(text) too late."
    }

    static let swapped = DecryptionFault(
        id: "key-swapped",
        level: .critical,
        summary: "Each track is encrypted with the key of its own EXT-X-KEY.",
        advice: "Exchange the key URIs of the playlists, or the keys at the key server."
    ) { found in
        guard case .other(let uri)? = found.opensWith else { return nil }
        return "The \(found.subject) does not open with the key \(found.key.printedURI), but with the key \(uri)."
    }

    static let otherVector = DecryptionFault(
        id: "key-iv-playlist",
        level: .must,
        summary: "The initialization vectors of the content and of the key response are equal.",
        advice: "Register the vector that the packager wrote into tenc with the key."
    ) { found in
        guard found.verdict == .opened, found.hasDifferentVectors else { return nil }
        return
            "The key response for \(found.key.printedURI) has another initialization vector than the \(found.subject)."
    }

    /// The faults of single segments and Partial Segments.
    private static let all = [wrongKey, wrongVector, notEncrypted, boundary, swapped, otherVector]

    /// Returns the findings about a Partial Segment.
    static func findings(_ found: MeasuredDecryption, _ place: ValidationFinding.Place) -> [ValidationFinding] {
        all.compactMap { fault in
            fault.message(found).map {
                ValidationFinding(
                    rule: fault.id,
                    level: fault.level,
                    place: place,
                    message: "In a Partial Segment: \($0)"
                )
            }
        }
    }
}
