import Foundation
import TextCoding

extension MPDRule {
    /// Encryption and DRM systems.
    static let protectionRules: [MPDRule] = [
        MPDRule(
            "protection-without-scheme",
            .error,
            section: "IOP",
            "beside a DRM system's ContentProtection stands that of urn:mpeg:dash:mp4protection:2011"
        ) { manifest, findings in
            for subject in manifest.sets where subject.protections.contains(where: { $0.systemID != nil }) {
                guard !subject.protections.contains(where: \.isMP4Protection) else { continue }
                findings.add(subject.place, "it does not say how it is encrypted, nor with which key")
            }
        },
        MPDRule(
            "protection-scheme-unknown",
            .error,
            section: "CENC 11",
            "value of mp4protection is cenc, cens, cbc1 or cbcs"
        ) { manifest, findings in
            for subject in manifest.sets {
                for protection in subject.protections where protection.isMP4Protection {
                    guard !["cenc", "cens", "cbc1", "cbcs"].contains(protection.value ?? "") else { continue }
                    findings.add(subject.place, "its scheme is none of Common Encryption")
                }
            }
        },
        MPDRule("key-id-missing", .error, section: "IOP", "ContentProtection of mp4protection has a cenc:default_KID") {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections where protection.isMP4Protection && protection.defaultKeyID == nil
                {
                    findings.add(subject.place, "players cannot fetch its key before they have an init segment")
                }
            }
        },
        MPDRule("key-id-malformed", .error, section: "CENC 11.2", "cenc:default_KID is a UUID with dashes") {
            manifest,
            findings in
            for subject in manifest.sets {
                for keyID in subject.protections.compactMap(\.defaultKeyID) where !isUUID(keyID) {
                    findings.add(subject.place, "its key ID is no UUID with dashes")
                }
            }
        },
        MPDRule("set-with-several-keys", .error, section: "IOP", "an AdaptationSet has one key") { manifest, findings in
            for subject in manifest.sets {
                let keyIDs = Set(subject.protections.compactMap { $0.defaultKeyID?.lowercased() })
                if keyIDs.count > 1 {
                    findings.add(subject.place, "it has \(keyIDs.count) keys: make a set for each")
                }
            }
        },
        MPDRule("set-with-several-schemes", .error, section: "IOP", "an AdaptationSet has one scheme") {
            manifest,
            findings in
            for subject in manifest.sets {
                let schemes = Set(subject.protections.filter(\.isMP4Protection).compactMap(\.value))
                if schemes.count > 1 { findings.add(subject.place, "it has the schemes \(schemes.sorted())") }
            }
        },
        MPDRule("fairplay-with-counter", .error, section: "-", "FairPlay does not stand beside cenc or cens") {
            manifest,
            findings in
            for subject in manifest.sets {
                let hasFairPlay = subject.protections.contains { $0.systemID == "94ce86fb-07ff-4f43-adb8-93d2fa968ca2" }
                let counts = subject.protections.contains {
                    $0.isMP4Protection && ["cenc", "cens"].contains($0.value ?? "")
                }
                if hasFairPlay, counts { findings.add(subject.place, "FairPlay decrypts cbcs alone") }
            }
        },
        MPDRule("system-twice", .warning, section: "IOP", "a DRM system is named once in a set") { manifest, findings in
            for subject in manifest.sets {
                for systemID in repeated(subject.set.protections.compactMap(\.systemID)) {
                    findings.add(subject.place, "the system \(systemID) stands there twice")
                }
            }
        },
        MPDRule(
            "pssh-malformed",
            .error,
            section: "CENC 11.2",
            "cenc:pssh is a whole pssh box of that system in Base64"
        ) {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections {
                    guard let text = protection.pssh, !isBox(text, of: protection.systemID) else { continue }
                    findings.add(subject.place, "its cenc:pssh is no pssh box of \(protection.scheme)")
                }
            }
        },
        MPDRule("playready-object-malformed", .error, section: "-", "mspr:pro is a PlayReady Object in Base64") {
            manifest,
            findings in
            for subject in manifest.sets {
                for protection in subject.protections {
                    guard let text = protection.playReadyObject, !isObject(text) else { continue }
                    findings.add(subject.place, "its mspr:pro is no PlayReady Object")
                }
            }
        },
    ]

    private static func isUUID(_ text: String) -> Bool {
        text.wholeMatch(of: #/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#) != nil
    }

    /// Whether a text is a box: its size, its type, and behind version and flags the system's UUID.
    private static func isBox(_ text: String, of systemID: String?) -> Bool {
        guard let data = Base64.decode(text), data.count >= 32, data[4..<8].elementsEqual("pssh".utf8) else {
            return false
        }
        let digits = Hexadecimal.encode(data[12..<28])
        return size(data[0..<4]) == data.count && digits == systemID?.filter { $0 != "-" }
    }

    /// Whether a text is an object: its length, which is little-endian.
    private static func isObject(_ text: String) -> Bool {
        guard let data = Base64.decode(text), data.count >= 10 else { return false }
        return size(data[0..<4].reversed()) == data.count
    }

    private static func size(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
