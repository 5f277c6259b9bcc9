import Foundation
import TextCoding

extension MPDRule {
    /// The rules for encryption and DRM systems.
    static let protectionRules: [MPDRule] = [
        MPDRule(
            "protection-without-scheme",
            .error,
            section: "IOP",
            "a set with a DRM system's ContentProtection must have that of urn:mpeg:dash:mp4protection:2011"
        ) { manifest, findings in
            for subject in manifest.sets where subject.protections.contains(where: { $0.systemID != nil }) {
                guard !subject.protections.contains(where: \.isMP4Protection) else { continue }
                findings.add(
                    subject.location,
                    "the set has no ContentProtection of urn:mpeg:dash:mp4protection:2011: "
                        + "add it with the scheme and the key ID"
                )
            }
        },
        MPDRule(
            "protection-scheme-unknown",
            .error,
            section: "CENC 11",
            "value of an mp4protection ContentProtection must be cenc, cens, cbc1 or cbcs"
        ) { manifest, findings in
            for subject in manifest.sets {
                for protection in subject.protections where protection.isMP4Protection {
                    guard !["cenc", "cens", "cbc1", "cbcs"].contains(protection.value ?? "") else { continue }
                    findings.add(
                        subject.location,
                        "the scheme is not one of Common Encryption: write cenc, cens, cbc1 or cbcs"
                    )
                }
            }
        },
        MPDRule(
            "key-id-missing",
            .error,
            section: "IOP",
            "an mp4protection ContentProtection must have cenc:default_KID"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections where protection.isMP4Protection && protection.defaultKeyID == nil
                {
                    findings.add(
                        subject.location,
                        "cenc:default_KID is missing, so players cannot request the key "
                            + "before they load the initialization segment"
                    )
                }
            }
        },
        MPDRule("key-id-malformed", .error, section: "CENC 11.2", "cenc:default_KID must be a UUID with hyphens") {
            manifest,
            findings in
            for subject in manifest.sets {
                for keyID in subject.protections.compactMap(\.defaultKeyID) where !isUUID(keyID) {
                    findings.add(
                        subject.location,
                        "cenc:default_KID is not a UUID with hyphens: write one such as "
                            + "01234567-89ab-cdef-0123-456789abcdef"
                    )
                }
            }
        },
        MPDRule(
            "set-with-several-keys",
            .error,
            section: "IOP",
            "an AdaptationSet must have only one key"
        ) { manifest, findings in
            for subject in manifest.sets {
                let keyIDs = Set(subject.protections.compactMap { $0.defaultKeyID?.lowercased() })
                if keyIDs.count > 1 {
                    findings.add(
                        subject.location,
                        "the set has \(counted(keyIDs.count, "key")): write an AdaptationSet for each key"
                    )
                }
            }
        },
        MPDRule(
            "set-with-several-schemes",
            .error,
            section: "IOP",
            "an AdaptationSet must have only one encryption scheme"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                let schemes = Set(subject.protections.filter(\.isMP4Protection).compactMap(\.value))
                if schemes.count > 1 {
                    findings.add(
                        subject.location,
                        "the set has the schemes "
                            + "\(schemes.sorted().joined(separator: ", ")): write an AdaptationSet for each scheme"
                    )
                }
            }
        },
        MPDRule(
            "fairplay-with-counter",
            .error,
            section: "-",
            "a set with FairPlay must not have the scheme cenc or cens"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                let hasFairPlay = subject.protections.contains { $0.systemID == "94ce86fb-07ff-4f43-adb8-93d2fa968ca2" }
                let counts = subject.protections.contains {
                    $0.isMP4Protection && ["cenc", "cens"].contains($0.value ?? "")
                }
                if hasFairPlay, counts {
                    findings.add(
                        subject.location,
                        "the set has FairPlay and a counter mode "
                            + "scheme, but FairPlay only supports cbcs: remove FairPlay, or use cbcs"
                    )
                }
            }
        },
        MPDRule(
            "duplicate-system",
            .warning,
            section: "IOP",
            "a set should list a DRM system only once"
        ) { manifest, findings in
            for subject in manifest.sets {
                for systemID in duplicates(subject.set.protections.compactMap(\.systemID)) {
                    findings.add(
                        subject.location,
                        "the set lists the DRM system \(systemID) more than once: remove the duplicate"
                    )
                }
            }
        },
        MPDRule(
            "pssh-malformed",
            .error,
            section: "CENC 11.2",
            "cenc:pssh must be a complete pssh box of the DRM system in Base64"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections {
                    guard let text = protection.pssh, !isBox(text, of: protection.systemID) else { continue }
                    findings.add(subject.location, "cenc:pssh is not a pssh box of \(protection.scheme) in Base64")
                }
            }
        },
        MPDRule("playready-object-malformed", .error, section: "-", "mspr:pro must be a PlayReady Object in Base64") {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections {
                    guard let text = protection.playReadyObject, !isObject(text) else { continue }
                    findings.add(subject.location, "mspr:pro is not a PlayReady Object in Base64")
                }
            }
        },
        MPDRule(
            "license-url-malformed",
            .error,
            section: "IOP",
            "dashif:Laurl and dashif:Certurl must be https or http URLs"
        ) { manifest, findings in
            for subject in manifest.sets {
                for protection in subject.protections {
                    let urls = [("dashif:Laurl", protection.licenseURL), ("dashif:Certurl", protection.certificateURL)]
                    for (name, url) in urls {
                        guard let url, !isWebURL(url) else { continue }
                        findings.add(
                            subject.location,
                            "\(name) of \(protection.scheme) is not an https or http URL: write the complete URL"
                        )
                    }
                }
            }
        },
    ]

    private static func isWebURL(_ text: String) -> Bool {
        text.wholeMatch(of: #/(?i:https?):\/\/[^\s\/]+\S*/#) != nil
    }

    private static func isUUID(_ text: String) -> Bool {
        text.wholeMatch(of: #/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#) != nil
    }

    /// Returns whether a text is a `pssh` box of a system: size, type, version and flags, and the UUID of the system.
    private static func isBox(_ text: String, of systemID: String?) -> Bool {
        guard let data = Base64.decode(text), data.count >= 32, data[4..<8].elementsEqual("pssh".utf8) else {
            return false
        }
        let digits = Hexadecimal.encode(data[12..<28])
        return size(data[0..<4]) == data.count && digits == systemID?.filter { $0 != "-" }
    }

    /// Returns whether a text is a PlayReady Object, which begins with its little-endian length.
    private static func isObject(_ text: String) -> Bool {
        guard let data = Base64.decode(text), data.count >= 10 else { return false }
        return size(data[0..<4].reversed()) == data.count
    }

    private static func size(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
