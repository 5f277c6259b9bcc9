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
                var used: [String: [(key: ListedKey, file: LintFile)]] = [:]
                let uris = Set(sessionKeys.compactMap(\.key.uri))
                for media in subject.mediaPlaylists where !uris.isEmpty {
                    for key in media.listedKeys {
                        guard let uri = key.uri, uris.contains(uri) else { continue }
                        let known = used[uri] ?? []
                        if known.count < 2, !known.contains(where: { $0.key == key }) {
                            used[uri] = known + [(key, media.file)]
                        }
                    }
                }
                for (key, line) in sessionKeys {
                    guard let uri = key.uri, let other = used[uri]?.first(where: { $0.key != key }) else { continue }
                    findings.report(
                        file,
                        line,
                        other: LintFinding.Place(other.file, other.file.line(of: other.key)),
                        "the session key differs from an EXT-X-KEY with the URI \(MessageFormat.uri(uri)) in "
                            + "\(MessageFormat.file(other.file.name)): "
                            + key.differences(from: other.key)
                    )
                }
            }
        ),
        LintRule(
            "session-key-unused",
            .warning,
            .presentation,
            section: "4.4.6.5",
            "a Media Playlist should have the key of each EXT-X-SESSION-KEY",
            .presentation { subject, findings in
                let playlists = subject.mediaPlaylists
                // A playlist that cannot be read may have the key.
                guard !playlists.isEmpty, subject.references.allSatisfy({ $0.media != nil }),
                    playlists.allSatisfy({ $0.isFull && !$0.file.isRefused(.key) })
                else { return }
                // The keys of a live stream change: session keys may be those of earlier or of later segments.
                guard playlists.allSatisfy({ $0.playlist.isEnded && ($0.playlist.mediaSequence ?? 0) <= 1 }) else {
                    return
                }
                let used = Set(playlists.lazy.flatMap(\.listedKeys).compactMap(\.uri))
                for (key, line) in subject.sessionKeys {
                    guard let uri = key.uri, !used.contains(uri) else { continue }
                    findings.report(
                        subject.multivariant.file,
                        line,
                        attribute: "URI",
                        "no Media Playlist has a key with the URI \(MessageFormat.uri(uri)), so clients request a key "
                            + "that they do not need: write the URI of an EXT-X-KEY, or remove the tag"
                    )
                }
            }
        ),
        LintRule(
            "session-key-missing",
            .note,
            .presentation,
            section: "4.4.6.5",
            "the DRM keys of Media Playlists should have an EXT-X-SESSION-KEY, so that clients can preload them",
            .presentation { subject, findings in
                guard !subject.multivariant.file.isRefused(.sessionKey) else { return }
                let sessionKeys = subject.sessionKeys
                let announced = Set(sessionKeys.compactMap(\.key.uri))
                let formats = Set(sessionKeys.map(\.key.keyFormat))
                var first: [String: MediaSubject] = [:]
                for media in subject.mediaPlaylists {
                    for key in media.listedKeys where key.keyFormat != .identity {
                        guard let uri = key.uri, !announced.contains(uri) else { continue }
                        // If other keys of the KEYFORMAT are announced, the author probably forgot this one. The keys of
                        // a live stream change, and so do the session keys.
                        let isForgotten = formats.contains(key.keyFormat) && media.playlist.isEnded
                        let other = first[uri]
                        guard isForgotten || other.map({ $0.file.name != media.file.name }) ?? false else {
                            if other == nil { first[uri] = media }
                            continue
                        }
                        let users =
                            other.map {
                                "\(MessageFormat.file($0.file.name)) and \(MessageFormat.file(media.file.name)) share"
                            } ?? "\(MessageFormat.file(media.file.name)) has"
                        return findings.report(
                            subject.multivariant.file,
                            nil,
                            other: LintFinding.Place(media.file, media.file.line(of: key)),
                            "\(users) the key \(MessageFormat.uri(uri)), which has no EXT-X-SESSION-KEY: with one, "
                                + "clients can request the key before they load the playlists"
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
                        other: LintFinding.Place(first.file, first.file.keys.first { $0.tag.isKey }?.line),
                        "the key formats are \(MessageFormat.keyFormats(formats)), but "
                            + "\(MessageFormat.keyFormats(first.formats)) in "
                            + "\(MessageFormat.file(first.file.name)), so a client may be able to play only one of "
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

extension LintFile {
    /// The line of the first EXT-X-KEY with a key.
    fileprivate func line(of key: ListedKey) -> PlaylistLine? {
        keys.first { tag, _ in
            tag.isKey && ListedKey(tag, uri: tag.uri.map { URIReference.resolve($0, against: name) }) == key
        }?.line
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
