extension LintRule {
    /// The rules for session keys, and for keys of several playlists.
    static let sessionKeyRules: [LintRule] = [
        LintRule(
            "session-key-none",
            .error,
            .multivariant,
            section: "4.4.6.5",
            "METHOD of an EXT-X-SESSION-KEY must not be NONE",
            .multivariant { subject, findings in
                for (tag, line) in subject.sessionKeys where !tag.key.isKey {
                    findings.report(
                        line,
                        attribute: "METHOD",
                        "an EXT-X-SESSION-KEY with METHOD=NONE specifies no key to preload: remove the tag"
                    )
                }
            }
        ),
        LintRule(
            "duplicate-session-key",
            .error,
            .multivariant,
            section: "4.4.6.5",
            "a playlist must not repeat an EXT-X-SESSION-KEY with the same attributes",
            .multivariant { subject, findings in
                var lines: [SessionKey: Int] = [:]
                for (tag, line) in subject.sessionKeys where tag.key.method.isDefined {
                    let key = SessionKey(key: ListedKey(tag.key, uri: tag.key.uri), iv: tag.key.iv)
                    if let first = lines[key] {
                        findings.report(
                            line,
                            "the key is the same as on line \(first), with default values for absent attributes: "
                                + "remove one of the tags"
                        )
                    } else {
                        lines[key] = line.number
                    }
                }
            }
        ),
        LintRule(
            "session-key-mismatch",
            .error,
            .presentation,
            section: "4.4.6.5",
            "EXT-X-SESSION-KEY and EXT-X-KEY with the same URI must agree on METHOD, KEYFORMAT and KEYFORMATVERSIONS",
            .presentation { subject, findings in
                let file = subject.multivariant.file
                let sessionKeys = subject.sessionKeys
                // For each URI of a session key: up to two different keys. If there are two, at least one of them
                // differs from the session key.
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
                        "the session key differs from an EXT-X-KEY with the URI \(MessageFormat.uri(uri)) in "
                            + "\(ReadingContext.quoted(other.file)): "
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
            "a DRM key of several Media Playlists should have an EXT-X-SESSION-KEY, so that clients can preload it",
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
                            "\(ReadingContext.quoted(first)) and \(ReadingContext.quoted(media.file.name)) share the "
                                + "key "
                                + "\(MessageFormat.uri(uri)): with an EXT-X-SESSION-KEY, clients can request the key "
                                + "before they load the playlists"
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
            "all encrypted Media Playlists must have the same KEYFORMATs",
            .presentation { subject, findings in
                var first: (file: LintFile, formats: Set<KeyFormat>)?
                for media in subject.mediaPlaylists {
                    let formats = media.keyFormats
                    guard !formats.isEmpty, !media.file.isRefused(.key) else { continue }
                    guard let first else {
                        first = (media.file, formats)
                        continue
                    }
                    guard formats != first.formats else { continue }
                    findings.report(
                        media.file,
                        nil,
                        "the key formats are \(MessageFormat.keyFormats(formats)), but "
                            + "\(MessageFormat.keyFormats(first.formats)) in "
                            + "\(ReadingContext.quoted(first.file.name)), so a client may be able to play only one of "
                            + "the two"
                    )
                }
            }
        ),
    ]
}

/// A key without its IV, with default values for absent attributes.
struct ListedKey: Hashable {
    /// The URI, resolved against the playlist.
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

    /// Returns a description of the differences, for a message.
    func differences(from other: ListedKey) -> String {
        var parts: [String] = []
        if method != other.method { parts.append("METHOD is \(method), but \(other.method) there") }
        if keyFormat != other.keyFormat {
            parts.append(
                "KEYFORMAT is \(ReadingContext.quoted(keyFormat.rawValue)), "
                    + "but \(ReadingContext.quoted(other.keyFormat.rawValue)) there"
            )
        }
        if versions != other.versions {
            parts.append(
                "KEYFORMATVERSIONS is \(ReadingContext.quoted(versions)), but "
                    + "\(ReadingContext.quoted(other.versions)) there"
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
    /// The keys without duplicates, in the order of the lines.
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
    /// The keys without duplicates, in the order of the lines.
    var listedKeys: [ListedKey] { file.listedKeys }
    /// The key formats of all keys.
    var keyFormats: Set<KeyFormat> { Set(file.keys.lazy.filter(\.tag.isKey).map(\.tag.keyFormat)) }
}

extension PresentationSubject {
    /// The session keys, except those with METHOD=NONE, with resolved URIs.
    fileprivate var sessionKeys: [(key: ListedKey, line: PlaylistLine)] {
        let file = multivariant.file
        return file.keys.compactMap { key, line in
            guard key.isKey else { return nil }
            return (ListedKey(key, uri: key.uri.map { URIReference.resolve($0, against: file.name) }), line)
        }
    }
}
