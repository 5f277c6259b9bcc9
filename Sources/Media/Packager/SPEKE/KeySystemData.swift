package import DRMSignaling
import HLSPlaylist
import MediaFormats

/// What a key server says that playlists, init segments and manifests have to hold for its keys. It is used as it was
/// given; what was not given, the packager makes itself.
///
///     PSSH                                init segments, and cenc:pssh and mspr:pro of DASH
///     HLSSignalingData, media             EXT-X-KEY; EXT-X-SESSION-KEY has the same values
///     URIExtXKey                          URI of EXT-X-KEY, where there is no HLSSignalingData
///
/// ContentProtectionData is not used: manifests get what stands in PSSH, which is the same.
package struct KeySystemData: Sendable {
    private var entries: [ContentKeyID: [SystemID: Entry]] = [:]

    private struct Entry: Sendable {
        var box: ProtectionSystemSpecificHeader?
        var tag: KeyTag?
    }

    /// Nothing was said.
    package init() {}

    /// Takes what an answer says, and holds that it is about its keys and systems.
    ///
    /// - Parameters:
    ///   - systems: The answer's entries.
    ///   - method: How segments are encrypted.
    /// - Throws: ``KeyExchangeFailure``.
    package init(_ systems: [CPIXDocument.DRMSystem], method: HLSKeyMethod) throws(KeyExchangeFailure) {
        for system in systems {
            let place = "DRMSystem \(system.systemID) of key \(system.keyID)"
            var entry = Entry()
            if let pssh = system.pssh, !pssh.isEmpty {
                let boxes = try? ProtectionSystemSpecificHeader.all(in: pssh)
                guard let boxes, boxes.count == 1, boxes[0].systemID == system.systemID else {
                    throw KeyExchangeFailure("\(place): PSSH is not one pssh box of that system")
                }
                entry.box = boxes[0]
            }
            entry.tag = try Self.tag(system, method, place)
            entries[system.keyID, default: [:]][system.systemID] = entry
        }
    }

    /// What a player stumbles over: FairPlay keys with one URI, by which it tells them apart.
    var warnings: [String] {
        let keyIDs = Dictionary(grouping: entries.keys) { entries[$0]?[.fairPlay]?.tag?.uri }
        return keyIDs.filter { $0.key != nil && $0.value.count > 1 }.values.map { keyIDs in
            let names = keyIDs.map(\.description).sorted().joined(separator: ", ")
            return "the server gives the FairPlay keys \(names) one URI: a player fetches one of them for all"
        }.sorted()
    }

    /// The `pssh` box that a key has for a system; nil when none was given.
    func box(for keyID: ContentKeyID, _ system: ProtectionSystem) -> ProtectionSystemSpecificHeader? {
        system.systemID.flatMap { entries[keyID]?[$0]?.box }
    }

    /// The EXT-X-KEY tag that a key has for a system; nil when none was given.
    func tag(for keyID: ContentKeyID, _ system: ProtectionSystem) -> KeyTag? {
        system.systemID.flatMap { entries[keyID]?[$0]?.tag }
    }

    private static func tag(
        _ system: CPIXDocument.DRMSystem,
        _ method: HLSKeyMethod,
        _ place: String
    ) throws(KeyExchangeFailure) -> KeyTag? {
        let lines = system.mediaPlaylistSignaling ?? ""
        guard let line = lines.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("#EXT-X-KEY:") }) else {
            guard let uri = system.keyURI, !uri.isEmpty, system.systemID == .fairPlay else { return nil }
            guard let signal = try? HLSKeySignal(system: .fairPlay, method: method, uri: uri) else {
                throw KeyExchangeFailure("\(place): URIExtXKey is no key URI of FairPlay")
            }
            return KeyTag(signal)
        }
        // The playlist's own reader knows the grammar.
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(line)\n#EXTINF:1,\na\n"
        let tags = (try? MediaPlaylist(parsing: Array(playlist.utf8)))?.segments.first?.keys ?? []
        guard tags.count == 1, let tag = tags.first, tag.uri != nil else {
            throw KeyExchangeFailure("\(place): HLSSignalingData is no EXT-X-KEY with a URI")
        }
        let known = ProtectionSystem.known.first { $0.systemID == system.systemID }
        guard known == nil || tag.keyFormat.rawValue == known?.keyFormat else {
            throw KeyExchangeFailure("\(place): HLSSignalingData has the KEYFORMAT of another system")
        }
        guard tag.method.rawValue == method.rawValue else {
            throw KeyExchangeFailure("\(place): HLSSignalingData has another METHOD than \(method.rawValue)")
        }
        return tag
    }
}

extension KeyTag {
    /// A signal as a tag.
    init(_ signal: HLSKeySignal) {
        self.init(
            method: EncryptionMethod(rawValue: signal.method.rawValue),
            uri: signal.uri,
            iv: signal.iv.flatMap { InitializationVector(bytes: $0) },
            keyFormat: signal.keyFormat.map(KeyFormat.init(rawValue:)),
            keyFormatVersions: signal.keyFormatVersions,
            otherAttributes: signal.keyIDAttribute.map { [Attribute(name: "KEYID", value: $0, isQuoted: false)] } ?? []
        )
    }
}
