import HLSPlaylist
import MediaFormats
import TextCoding

extension ValidationRule {
    /// Rules about keys: whether the key that a playlist refers to opens the content.
    static let keyRules: [ValidationRule] = [
        ValidationRule(
            "key-get",
            .critical,
            "8216bis:4.4.4.4",
            .decryptedMedia,
            "The key server delivers the key of every EXT-X-KEY.",
            advice: "Register the key of this URI at the key server, or correct the policy of its license."
        ) { presentation, findings in
            for key in presentation.keys where !key.isAhead {
                // A license with a higher security level than the device has is a matter of lic-cpc.
                let refused = key.grants.filter { $0.license.failure != nil && $0.license.facts?.securityLevel == nil }
                for (reason, classes) in Self.grouped(refused, by: { $0.license.failure ?? "" }) {
                    findings.report(
                        .init(key.place.playlist, line: key.place.line),
                        "The key \(key.id.printedURI) is not available\(Self.text(classes)): \(reason)."
                    )
                }
            }
        },
        decryption(
            "key-wrong",
            .critical,
            "The key of the EXT-X-KEY opens the content.",
            advice: "Register the key that the packager used, or package the content again with the registered key."
        ) { found in
            guard found.verdict == .wrongKey, found.opensWith == nil else { return nil }
            return "The key \(found.key.printedURI) does not open the \(found.subject) (\(found.proof))."
        },
        decryption(
            "key-iv-wrong",
            .critical,
            "The initialization vector is that with which the content was encrypted.",
            advice: "Write the vector of the packager into tenc, and register the same with the key."
        ) { found in
            guard found.verdict == .wrongIV else { return nil }
            let remedy = found.opensWithIV.map { "; it opens with \($0)" } ?? ""
            return "The key \(found.key.printedURI) is right, but the initialization vector of the \(found.subject) is "
                + "wrong (\(found.proof))\(remedy)."
        },
        decryption(
            "key-not-encrypted",
            .critical,
            "Content that is declared as encrypted is encrypted.",
            advice: "Encrypt the segment, or declare it as clear with EXT-X-KEY:METHOD=NONE and in its init segment."
        ) { found in
            guard found.verdict == .notEncrypted else { return nil }
            return "The \(found.subject) is declared as encrypted, but is clear (\(found.proof))."
        },
        decryption(
            "key-boundary",
            .critical,
            "EXT-X-KEY changes at the segment where the key of the content changes.",
            advice: "Move EXT-X-KEY to the segment at which the packager changes the key."
        ) { found in
            guard case .neighbor(let isBefore, let distance)? = found.opensWith else { return nil }
            let text = counted(distance, "segment")
            return isBefore
                ? "The \(found.subject) opens with the key of the period before: EXT-X-KEY stands \(text) too early."
                : "The \(found.subject) opens with the key of the next period: EXT-X-KEY stands \(text) too late."
        },
        decryption(
            "key-swapped",
            .critical,
            "Each track is encrypted with the key of its own EXT-X-KEY.",
            advice: "Exchange the key URIs of the playlists, or the keys at the key server."
        ) { found in
            guard case .other(let uri)? = found.opensWith else { return nil }
            return "The \(found.subject) does not open with the key \(found.key.printedURI), but with the key \(uri)."
        },
        ValidationRule(
            "key-weak",
            .must,
            "8216bis:4.4.4.4",
            .decryptedMedia,
            "Content keys are random.",
            advice: "Encrypt with a random key of 16 bytes."
        ) { presentation, findings in
            for key in presentation.keys {
                guard let weakness = key.weakness else { continue }
                let place = ValidationFinding.Place(key.place.playlist, line: key.place.line)
                findings.report(place, "Anyone can guess the key \(key.id.printedURI): \(weakness).")
            }
            for rendition in presentation.renditions {
                for segment in rendition.segments {
                    for found in segment.decryptions {
                        guard case .weak(let description)? = found.opensWith else { continue }
                        findings.report(
                            .init(rendition, segment),
                            "The \(found.subject) does not open with the key \(found.key.printedURI), but with "
                                + "\(description).",
                            level: .critical
                        )
                    }
                }
            }
        },
        ValidationRule(
            "key-same",
            .should,
            "8216bis:4.4.6.2",
            .decryptedMedia,
            "Keys whose licenses require different protection are different.",
            advice: "Use a key of its own for each HDCP level and each security level."
        ) { presentation, findings in
            var known: [MeasuredKey] = []
            for key in presentation.keys {
                defer { known.append(key) }
                guard let value = key.value, let facts = key.license?.facts else { continue }
                let other = known.first { other in
                    guard let otherFacts = other.license?.facts, other.value == value else { return false }
                    return otherFacts.hdcp != facts.hdcp || otherFacts.securityLevel != facts.securityLevel
                }
                guard let other else { continue }
                findings.report(
                    .init(key.place.playlist, line: key.place.line),
                    "The keys \(key.id.printedURI) and \(other.id.printedURI) are the same key, but their licenses require "
                        + "different output protection or security levels: a device that gets one has both."
                )
            }
        },
        decryption(
            "key-iv-playlist",
            .must,
            "The initialization vectors of the content and of the key response are equal.",
            advice: "Register the vector that the packager wrote into tenc with the key."
        ) { found in
            guard found.verdict == .opened, found.hasDifferentVectors else { return nil }
            return
                "The key response for \(found.key.printedURI) has another initialization vector than the \(found.subject)."
        },
        ValidationRule(
            "key-kid",
            .should,
            "8216bis:4.4.4.4",
            .initialization,
            "The key ID of the content is one that EXT-X-KEY refers to.",
            advice: "Refer to the key of this content, or write its key ID into the init segment."
        ) { presentation, findings in
            // A key ID of another period or track of the presentation is a matter of other rules.
            let declared = Set(
                presentation.renditions.flatMap { $0.segments.flatMap { $0.keys.keys.compactMap(\.declaredKeyID) } }
            )
            for rendition in presentation.renditions {
                for (segment, measurement) in rendition.measured {
                    guard let first = segment.keys.keys.lazy.compactMap(\.declaredKeyID).first else { continue }
                    for track in measurement.tracks {
                        guard let id = track.keyIDs.first(where: { !declared.contains($0) }),
                            id.bytes.contains(where: { $0 != 0 })
                        else { continue }
                        findings.report(
                            .init(rendition, segment),
                            "EXT-X-KEY refers to another key ID than the \(track.format.kind.rawValue) has.",
                            measured: Hexadecimal.encode(id.bytes),
                            limit: Hexadecimal.encode(first.bytes)
                        )
                    }
                }
            }
        },
        .rendition(
            "key-undecided",
            .advice,
            "8216bis:4.4.4.4",
            .decryptedMedia,
            "It can be decided whether the key opens the content.",
            advice:
                "Install ffmpeg, which decides about H.264 and AAC, or load more segments."
        ) { rendition, findings in
            var decided: Set<Track> = []
            for found in rendition.segments.flatMap(\.decryptions) where found.verdict != .undecided {
                decided.insert(Track(found))
            }
            for segment in rendition.segments {
                for found in segment.decryptions where found.verdict == .undecided {
                    guard !decided.contains(Track(found)) else { continue }
                    findings.report(
                        .init(rendition, segment),
                        "It is not known whether the key \(found.key.printedURI) opens the \(found.subject) "
                            + "(\(found.proof))."
                    )
                }
            }
        },
    ]

    /// A track with one key.
    private struct Track: Hashable {
        let id: UInt32
        let key: MeasuredKey.ID

        init(_ found: MeasuredDecryption) { (id, key) = (found.track, found.key) }
    }

    /// Creates a rule about the results of trying keys. The closure returns the message of a violation, or nil.
    private static func decryption(
        _ id: RuleID,
        _ level: Level,
        _ summary: String,
        advice: String,
        _ message: @escaping @Sendable (MeasuredDecryption) -> String?
    ) -> ValidationRule {
        .rendition(id, level, "8216bis:4.4.4.4", .decryptedMedia, summary, advice: advice) { rendition, findings in
            for segment in rendition.segments {
                for found in segment.decryptions {
                    guard let text = message(found) else { continue }
                    findings.report(.init(rendition, segment), text)
                }
            }
        }
    }
}

extension MeasuredDecryption {
    /// The name of the track in messages.
    var subject: String { kind?.rawValue ?? "segment" }

    /// The tests and the number of frames, in parentheses in messages.
    var proof: String { frameCount > 0 ? "\(evidence), \(counted(frameCount, "frame"))" : evidence }
}

extension KeyTag {
    /// The key ID that the KEYID attribute or the URI contains, as 32 hexadecimal digits or as a UUID; nil without one,
    /// or with several.
    fileprivate var declaredKeyID: KeyID? {
        let attribute = otherAttributes.first { $0.name == "KEYID" }?.value
        guard let text = attribute ?? uri, !text.lowercased().hasPrefix("data:") else { return nil }
        let ids = text.split { !$0.isHexDigit && $0 != "-" }.compactMap { part -> KeyID? in
            let digits = part.filter { $0 != "-" }
            guard digits.count == 32, part.count == 32 || part.count == 36 else { return nil }
            return Hexadecimal.decode(String(digits)).flatMap { KeyID($0) }
        }
        return ids.count == 1 ? ids[0] : nil
    }
}
