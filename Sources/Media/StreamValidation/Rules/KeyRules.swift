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
        decryption(.wrongKey),
        decryption(.wrongVector),
        decryption(.notEncrypted),
        decryption(.boundary),
        decryption(.swapped),
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
        decryption(.otherVector),
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

    /// Creates a rule about the results of trying keys.
    private static func decryption(_ fault: DecryptionFault) -> ValidationRule {
        .rendition(
            fault.id,
            fault.level,
            "8216bis:4.4.4.4",
            .decryptedMedia,
            fault.summary,
            advice: fault.advice
        ) { rendition, findings in
            for segment in rendition.segments {
                for found in segment.decryptions {
                    guard let text = fault.message(found) else { continue }
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
