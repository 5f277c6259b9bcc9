extension LintRule {
    /// Session keys, and the keys of several playlists.
    static let sessionKeyRules: [LintRule] = [
        LintRule(
            "session-key-none",
            .error,
            .multivariant,
            section: "4.4.6.5",
            "METHOD of an EXT-X-SESSION-KEY is not NONE",
            .multivariant { subject, findings in
                for (tag, line) in subject.sessionKeys where !tag.key.isKey {
                    findings.report(
                        line,
                        attribute: "METHOD",
                        "METHOD=NONE is no key that could be fetched early: remove the tag"
                    )
                }
            }
        ),
        LintRule(
            "session-key-repeats",
            .error,
            .multivariant,
            section: "4.4.6.5",
            "no EXT-X-SESSION-KEY says the same as another",
            .multivariant { subject, findings in
                var lines: [SessionKey: Int] = [:]
                for (tag, line) in subject.sessionKeys where tag.key.method.isDefined {
                    let key = SessionKey(key: ListedKey(tag.key, uri: tag.key.uri), iv: tag.key.iv)
                    if let first = lines[key] {
                        findings.report(
                            line,
                            "the same key as at line \(first) (missing attributes have their defaults): remove one"
                        )
                    } else {
                        lines[key] = line.number
                    }
                }
            }
        ),
        LintRule(
            "session-key-disagrees",
            .error,
            .presentation,
            section: "4.4.6.5",
            "an EXT-X-SESSION-KEY has METHOD, KEYFORMAT and KEYFORMATVERSIONS of every EXT-X-KEY with its URI",
            .presentation { subject, findings in
                let file = subject.multivariant.file
                let sessionKeys = subject.sessionKeys
                // Of each URI that a session key has: two keys that differ, if there are two. One of them then
                // disagrees.
                var used: [String: [(key: ListedKey, file: String)]] = [:]
                let uris = Set(sessionKeys.compactMap(\.key.uri))
                for media in subject.mediaPlaylists where !uris.isEmpty {
                    for key in media.listedKeys {
                        guard let uri = key.uri, uris.contains(uri) else { continue }
                        let known = used[uri] ?? []
                        if known.count < 2, !known.contains(where: { $0.key == key }) {
                            used[uri] = known + [(key, media.file.name)]
                        }
                    }
                }
                for (key, line) in sessionKeys {
                    guard let uri = key.uri, let other = used[uri]?.first(where: { $0.key != key }) else { continue }
                    findings.report(
                        file,
                        line,
                        "an EXT-X-KEY with the URI \(Shown.uri(uri)) in \(ReadingContext.quoted(other.file)) differs: "
                            + key.differences(from: other.key)
                    )
                }
            }
        ),
        LintRule(
            "session-key-missing",
            .note,
            .presentation,
            section: "4.4.6.5",
            "a DRM key that several Media Playlists share has an EXT-X-SESSION-KEY, so that it can be asked for early",
            .presentation { subject, findings in
                let announced = Set(subject.sessionKeys.compactMap(\.key.uri))
                var firstFile: [String: String] = [:]
                for media in subject.mediaPlaylists {
                    for key in media.listedKeys where key.keyFormat != .identity {
                        guard let uri = key.uri, !announced.contains(uri) else { continue }
                        guard let first = firstFile[uri] else {
                            firstFile[uri] = media.file.name
                            continue
                        }
                        if first == media.file.name { continue }
                        return findings.report(
                            subject.multivariant.file,
                            nil,
                            "\(ReadingContext.quoted(first)) and \(ReadingContext.quoted(media.file.name)) share the key "
                                + "\(Shown.uri(uri)): an EXT-X-SESSION-KEY would let clients ask for it before they load them"
                        )
                    }
                }
            }
        ),
        LintRule(
            "keyformat-sets-differ",
            .error,
            .presentation,
            section: "Apple 13",
            "all encrypted Media Playlists have the same KEYFORMATs",
            .presentation { subject, findings in
                var first: (file: LintFile, formats: Set<KeyFormat>)?
                for media in subject.mediaPlaylists {
                    let formats = media.keyFormats
                    guard !formats.isEmpty else { continue }
                    guard let first else {
                        first = (media.file, formats)
                        continue
                    }
                    guard formats != first.formats else { continue }
                    findings.report(
                        media.file,
                        nil,
                        "the key formats are \(Shown.keyFormats(formats)), but \(Shown.keyFormats(first.formats)) in "
                            + "\(ReadingContext.quoted(first.file.name)): a client may play one and not the other"
                    )
                }
            }
        ),
    ]
}

/// A key without its IV, its defaults filled in.
struct ListedKey: Hashable {
    /// Resolved against the playlist.
    let uri: String?
    let method: EncryptionMethod
    let keyFormat: KeyFormat
    let versions: String

    init(_ key: KeyTag, uri: String?) {
        self.uri = uri
        method = key.method
        keyFormat = key.keyFormat
        versions = key.versions
    }

    /// What differs, for a message.
    func differences(from other: ListedKey) -> String {
        var parts: [String] = []
        if method != other.method { parts.append("METHOD=\(method) here, \(other.method) there") }
        if keyFormat != other.keyFormat {
            parts.append(
                "KEYFORMAT=\(ReadingContext.quoted(keyFormat.rawValue)) here, "
                    + "\(ReadingContext.quoted(other.keyFormat.rawValue)) there"
            )
        }
        if versions != other.versions {
            parts.append(
                "KEYFORMATVERSIONS=\(ReadingContext.quoted(versions)) here, \(ReadingContext.quoted(other.versions)) there"
            )
        }
        return parts.joined(separator: "; ")
    }
}

private struct SessionKey: Hashable {
    let key: ListedKey
    let iv: InitializationVector?
}

extension LintFile {
    /// The keys, each in one form only, in the order of the lines.
    fileprivate var listedKeys: [ListedKey] {
        var seen: Set<ListedKey> = []
        return keys.compactMap { key, _ in
            guard key.isKey else { return nil }
            let listed = ListedKey(key, uri: key.uri.map { URIReference.resolve($0, against: name) })
            return seen.insert(listed).inserted ? listed : nil
        }
    }
}

extension MediaSubject {
    /// The keys, each in one form only, in the order of the lines.
    var listedKeys: [ListedKey] { file.listedKeys }
    /// The key formats of all its keys.
    var keyFormats: Set<KeyFormat> { Set(file.keys.lazy.filter(\.tag.isKey).map(\.tag.keyFormat)) }
}

extension PresentationSubject {
    /// The session keys that are keys, their URIs resolved.
    fileprivate var sessionKeys: [(key: ListedKey, line: PlaylistLine)] {
        let file = multivariant.file
        return file.keys.compactMap { key, line in
            guard key.isKey else { return nil }
            return (ListedKey(key, uri: key.uri.map { URIReference.resolve($0, against: file.name) }), line)
        }
    }
}
