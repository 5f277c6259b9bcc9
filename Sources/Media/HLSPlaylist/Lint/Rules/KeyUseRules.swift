import TextCoding

extension LintRule {
    /// The rules for keys that decrypt nothing, and for media that no key protects.
    static let keyUseRules: [LintRule] = [
        LintRule(
            "key-unused",
            .warning,
            .media,
            section: "4.4.4.4",
            "a key should apply to a segment before another key replaces it",
            .media { subject, findings in
                for (key, line, next) in subject.replacedKeys {
                    findings.report(
                        line,
                        "no segment follows this \(key.systemName) key before the EXT-X-KEY on line \(next) ends it, so "
                            + "it decrypts nothing: remove it, or give keys that apply together different KEYFORMATs"
                    )
                }
            }
        ),
        LintRule(
            "clear-variant",
            .error,
            .presentation,
            section: "-",
            "if some Media Playlists are encrypted, those with video must be encrypted too, unless declared clear",
            .presentation { subject, findings in
                for leak in ClearMedia(subject).leaks where !leak.isAudio { leak.report(subject, &findings) }
            }
        ),
        LintRule(
            "clear-audio",
            .error,
            .presentation,
            section: "-",
            "if some Media Playlists are encrypted, those with audio must be encrypted too, unless declared clear",
            .presentation { subject, findings in
                for leak in ClearMedia(subject).leaks where leak.isAudio { leak.report(subject, &findings) }
            }
        ),
    ]
}

extension MediaSubject {
    /// The keys that another EXT-X-KEY with the same KEYFORMAT or with METHOD=NONE ends before they apply to anything,
    /// with the line of that tag. Repeating the same key is harmless.
    fileprivate var replacedKeys: [(key: KeyTag, line: PlaylistLine, next: Int)] {
        guard file.keys.count > 1 else { return [] }
        var found: [(key: KeyTag, line: PlaylistLine, next: Int)] = []
        var unused: [(key: KeyTag, line: PlaylistLine)] = []
        for line in lines {
            switch line.content {
            case .uri, .tag(.part), .tag(.map), .tag(.preloadHint), .tag(.skip), .refused(.part), .refused(.map),
                .refused(.skip):
                unused.removeAll(keepingCapacity: true)
            case .tag(.key(let key)) where key.method == .none:
                found += unused.map { ($0.key, $0.line, line.number) }
                unused.removeAll(keepingCapacity: true)
            case .tag(.key(let key)) where key.method.isDefined:
                if let index = unused.firstIndex(where: { $0.key.keyFormat == key.keyFormat }) {
                    let old = unused.remove(at: index)
                    if old.key != key { found.append((old.key, old.line, line.number)) }
                }
                if unused.count < Self.maximumKeyCount { unused.append((key, line)) }
            default: break
            }
        }
        return found.sorted { $0.line.number < $1.line.number }
    }
}

/// The Media Playlists of a presentation that are not encrypted, or only in part, although others are.
private struct ClearMedia {
    struct Leak {
        let reference: PresentationSubject.Reference
        let media: MediaSubject
        let isAudio: Bool
        /// The number of seconds that are not encrypted; nil if no segment is encrypted.
        let seconds: Double?
        /// An encrypted Media Playlist, with the line of its first key.
        let other: MediaSubject

        func report(_ subject: PresentationSubject, _ findings: inout PresentationFindings) {
            let key = other.file.keys.first { $0.tag.isKey }?.line
            let name = MessageFormat.file(media.file.name)
            let otherName = MessageFormat.file(other.file.name)
            let problem =
                seconds.map { "\(MessageFormat.seconds($0)) of \(name) are not encrypted, more than in \(otherName)" }
                ?? "\(name) is not encrypted, but \(otherName) is"
            findings.report(
                subject.multivariant.file,
                reference.line,
                other: LintFinding.Place(other.file, key),
                "\(problem), so anyone can play it without a key: encrypt it, or declare that it is intended to be clear"
            )
        }
    }

    private struct Content {
        let reference: PresentationSubject.Reference
        let media: MediaSubject
        let isAudio: Bool
        var clear = 0.0
        var encrypted = 0.0
    }

    private(set) var leaks: [Leak] = []

    init(_ subject: PresentationSubject) {
        let contents = Self.contents(subject)
        guard let first = contents.first(where: { $0.encrypted > 0 }) else { return }
        // A clear lead has the same length in all playlists with the same type of media.
        let isEnded = subject.mediaPlaylists.allSatisfy(\.playlist.isEnded)
        for content in contents where !subject.isIntendedClear(content.reference) {
            let peers = contents.filter { $0.encrypted > 0 && $0.isAudio == content.isAudio }
            if content.encrypted == 0, content.clear > 0 {
                // In a live window, all segments may belong to a break that is not encrypted.
                guard content.media.playlist.isEnded || !content.media.file.has(.key) else { continue }
                // A playlist may have nothing but the clear lead: I-frames of AES-128, and live playlists of which the
                // first encrypted segment is not published yet.
                let other = peers.first ?? first
                if other.clear > 0, content.clear <= other.clear + slack(content, other) { continue }
                append(content, nil, other)
            } else if content.encrypted > 0, isEnded, let least = peers.min(by: { $0.clear < $1.clear }) {
                if least.clear + slack(content, least) < content.clear - .roundingTolerance {
                    append(content, content.clear, least)
                }
            }
        }
    }

    /// The longer Target Duration, by which the ends of clear leads may differ.
    private func slack(_ content: Content, _ other: Content) -> Double {
        max(content.media.targetDuration ?? 0, other.media.targetDuration ?? 0)
    }

    private mutating func append(_ content: Content, _ seconds: Double?, _ other: Content) {
        leaks.append(
            Leak(
                reference: content.reference,
                media: content.media,
                isAudio: content.isAudio,
                seconds: seconds,
                other: other.media
            )
        )
    }

    /// The Media Playlists with video or audio, each once, as far as it is known which of their segments are encrypted.
    private static func contents(_ subject: PresentationSubject) -> [Content] {
        var seen: Set<String> = []
        return subject.references.compactMap { reference in
            guard let media = reference.media, let isAudio = reference.role.isAudio,
                seen.insert(media.file.name).inserted, media.isFull, !media.file.hasUnknownKey
            else { return nil }
            var content = Content(reference: reference, media: media, isAudio: isAudio)
            for segment in media.segments where !segment.segment.isGap {
                if segment.keys.isEmpty {
                    content.clear += segment.segment.duration
                } else {
                    content.encrypted += segment.segment.duration
                }
            }
            return content
        }
    }
}

extension LintFile {
    /// True if it is unknown what an EXT-X-KEY encrypts, because the reader rejected the tag or clients ignore it.
    fileprivate var hasUnknownKey: Bool {
        isRefused(.key)
            || lines.contains { if case .tag(.key(let key)) = $0.content { !key.method.isDefined } else { false } }
    }
}

extension PresentationSubject.Role {
    /// True for audio, false for video; nil for subtitles, which are not encrypted.
    fileprivate var isAudio: Bool? {
        switch self {
        case .variant(let variant):
            !variant.codecs.isEmpty && variant.codecs.allSatisfy { Codec.kind(of: $0) == .audio }
        case .iFrameVariant: false
        case .rendition(let tag): tag.type == .audio ? true : tag.type == .video ? false : nil
        }
    }
}
