import ByteCoding

/// A playlist of HTTP Live Streaming: RFC 8216, second edition (draft-pantos-hls-rfc8216bis-22), section 4.
public enum Playlist: Sendable {
    /// Media segments.
    case media(MediaPlaylist)
    /// Variants and renditions.
    case multivariant(MultivariantPlaylist)

    /// Which of the two a playlist is.
    public enum Kind: String, Sendable {
        /// A Media Playlist.
        case media
        /// A Multivariant Playlist, formerly called a master playlist.
        case multivariant
    }

    /// Which of the two it is.
    public var kind: Kind {
        switch self {
        case .media: .media
        case .multivariant: .multivariant
        }
    }

    /// Reads a playlist strictly: the first thing that breaks a rule of the format is thrown.
    ///
    /// - Parameters:
    ///   - bytes: The playlist, UTF-8.
    ///   - options: Where it came from, and limits.
    /// - Throws: ``PlaylistError`` with the rule, the line and the column of the first error.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        self = try PlaylistReader.read(bytes, options, isLenient: false).playlist
    }

    /// Reads a playlist strictly, from text.
    ///
    /// - Throws: ``PlaylistError`` with the rule, the line and the column of the first error.
    public init(parsing text: String, options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(parsing: Array(text.utf8), options: options)
    }

    /// Reads what can be read: a line that breaks a rule is reported, kept as it is, and otherwise passed over.
    ///
    /// - Parameters:
    ///   - bytes: The playlist.
    ///   - options: Where it came from, and limits.
    /// - Returns: The playlist, and all that is wrong with its form, in the order of the lines.
    /// - Throws: ``PlaylistError`` with ``RuleID/limitExceeded`` when one of ``PlaylistLimits`` is passed, and for
    ///   nothing else.
    public static func parseLeniently(
        _ bytes: [UInt8],
        options: ParsingOptions = ParsingOptions()
    ) throws(PlaylistError) -> (playlist: Playlist, diagnostics: [Diagnostic]) {
        try PlaylistReader.read(bytes, options, isLenient: true)
    }

    /// The bytes of the playlist. What was read and not changed is written as it was; the rest in the order and the
    /// form of the draft.
    ///
    /// - Throws: ``PlaylistError`` when a value cannot be written, such as a URI with a line break in it.
    public func write() throws(PlaylistError) -> [UInt8] {
        switch self {
        case .media(let playlist): try playlist.write()
        case .multivariant(let playlist): try playlist.write()
        }
    }
}

/// Reads playlists of either kind.
enum PlaylistReader {
    static func read(
        _ bytes: [UInt8],
        _ options: ParsingOptions,
        isLenient: Bool
    ) throws(PlaylistError) -> (playlist: Playlist, diagnostics: [Diagnostic]) {
        let context = ReadingContext(source: PlaylistSource(bytes), options: options, isLenient: isLenient)
        guard bytes.count <= min(options.limits.bytes, Int(Int32.max)) else {
            context.report(.limitExceeded, line: 0, "the playlist is larger than \(options.limits.bytes) bytes")
            try context.check()
            return (.multivariant(MultivariantPlaylist()), [])
        }
        do throws(PlaylistError) {
            let playlist: Playlist
            switch kind(bytes) {
            case .media: playlist = .media(try MediaPlaylist(context))
            case .multivariant: playlist = .multivariant(try MultivariantPlaylist(context))
            }
            return (playlist, context.diagnostics)
        } catch {
            if isLenient || error.rule == .limitExceeded { throw error }
            throw firstError(bytes, options) ?? error
        }
    }

    /// The first error of a playlist that strict reading refuses, by its line. What a line lacks is seen only further
    /// down, so that another error may have come in between.
    private static func firstError(_ bytes: [UInt8], _ options: ParsingOptions) -> PlaylistError? {
        let errors = try? read(bytes, options, isLenient: true).diagnostics.filter { $0.severity == .error }
        let place = { (diagnostic: Diagnostic) in diagnostic.line == 0 ? Int.max : diagnostic.line }
        return errors?.min { place($0) < place($1) }.map { PlaylistError($0) }
    }

    /// The kind of a playlist, by the first tag that only one kind has. Without one it is an empty Multivariant
    /// Playlist (section 4.1).
    static func kind(_ bytes: [UInt8]) -> Playlist.Kind {
        let span = bytes.span.bytes
        var offset = 0
        while offset < bytes.count {
            let line = LineScanner.scan(span, from: offset)
            offset = line.next
            if case .tag(let name, _) = LineContent(span, line.start..<line.end) {
                switch name.family {
                case .any: break
                case .multivariant: return .multivariant
                case .mediaPlaylist, .mediaSegment, .mediaMetadata: return .media
                }
            }
        }
        return .multivariant
    }

    /// The offset of the first line's content; reports a byte order mark.
    static func start(_ context: ReadingContext) -> Int {
        guard context.source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return 0 }
        context.report(
            .bom,
            at: 0,
            line: 1,
            "the playlist begins with a byte order mark, which players may refuse: save it as UTF-8 without one"
        )
        return 3
    }

    /// Checks that the first line is `#EXTM3U`.
    static func checkFirstLine(_ context: ReadingContext, _ start: Int) {
        let bytes = context.source.bytes
        let line = start < bytes.count ? LineScanner.scan(bytes.span.bytes, from: start) : nil
        if line == nil || !bytes[start..<(line?.end ?? start)].elementsEqual(Array("#EXTM3U".utf8)) {
            context.report(.missingExtM3U, line: 1, "the first line is not #EXTM3U")
        }
    }
}
