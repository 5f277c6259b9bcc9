import ByteCoding

/// An HTTP Live Streaming playlist, as section 4 of draft-pantos-hls-rfc8216bis-22 (the second edition of RFC 8216)
/// defines it.
public enum Playlist: Sendable {
    /// A Media Playlist, which lists Media Segments.
    case media(MediaPlaylist)
    /// A Multivariant Playlist, which lists variants and renditions.
    case multivariant(MultivariantPlaylist)

    /// The kind of a playlist.
    public enum Kind: String, Sendable {
        /// A Media Playlist.
        case media
        /// A Multivariant Playlist, formerly called a master playlist.
        case multivariant
    }

    /// The kind of this playlist.
    public var kind: Kind {
        switch self {
        case .media: .media
        case .multivariant: .multivariant
        }
    }

    /// Parses a playlist as players do: what violates a rule of the format costs as little as possible.
    /// ``parseLeniently(_:options:)`` returns the violations too.
    ///
    /// - Parameters:
    ///   - bytes: The playlist, UTF-8.
    ///   - options: The playlist's URL, the imported variables, and limits.
    /// - Throws: ``PlaylistError`` with ``RuleID/missingExtM3U`` when the bytes do not begin with `#EXTM3U`, by which
    ///   players recognize a playlist, and with ``RuleID/limitExceeded`` when the playlist exceeds one of
    ///   ``PlaylistLimits``. No other error is thrown.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        guard PlaylistReader.hasHeader(bytes) else { throw PlaylistReader.noHeader }
        self = try PlaylistReader.read(bytes, options, isLenient: true, keepsDiagnostics: false).playlist
    }

    /// Parses the text of a playlist as players do.
    ///
    /// - Throws: ``PlaylistError`` when the text is not a playlist, or exceeds one of ``PlaylistLimits``.
    public init(parsing text: String, options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(parsing: Array(text.utf8), options: options)
    }

    /// Parses a playlist strictly: the first violation of severity error is thrown.
    ///
    /// - Parameters:
    ///   - bytes: The playlist, UTF-8.
    ///   - options: The playlist's URL, the imported variables, and limits.
    /// - Throws: ``PlaylistError`` with the rule, the line and the column of the first error.
    public init(strictlyParsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        self = try PlaylistReader.read(bytes, options, isLenient: false).playlist
    }

    /// Parses a playlist as ``init(parsing:options:)-([UInt8],_)`` does, and returns the violations of the format too. A
    /// violation costs as little as possible: the white space and not the value, the attribute and not the tag. A line
    /// that has no meaning without what is wrong or missing in it is preserved, but otherwise ignored.
    ///
    /// - Parameters:
    ///   - bytes: The playlist.
    ///   - options: The playlist's URL, the imported variables, and limits.
    /// - Returns: The playlist, and all violations of the syntax rules, in the order of the lines.
    /// - Throws: ``PlaylistError`` with ``RuleID/limitExceeded`` when the playlist exceeds one of ``PlaylistLimits``.
    ///   No other error is thrown.
    public static func parseLeniently(
        _ bytes: [UInt8],
        options: ParsingOptions = ParsingOptions()
    ) throws(PlaylistError) -> (playlist: Playlist, diagnostics: [Diagnostic]) {
        try PlaylistReader.read(bytes, options, isLenient: true)
    }

    /// Returns the bytes of the playlist. Lines that were read and not changed are written byte for byte; the others
    /// are written in the order and the form of the draft.
    ///
    /// - Throws: ``PlaylistError`` when a value cannot be written, such as a URI with a line break in it.
    public func write() throws(PlaylistError) -> [UInt8] {
        switch self {
        case .media(let playlist): try playlist.write()
        case .multivariant(let playlist): try playlist.write()
        }
    }
}

/// Parses playlists of both kinds.
enum PlaylistReader {
    static func read(
        _ bytes: [UInt8],
        _ options: ParsingOptions,
        isLenient: Bool,
        keepsDiagnostics: Bool = true
    ) throws(PlaylistError) -> (playlist: Playlist, diagnostics: [Diagnostic]) {
        let context = ReadingContext(
            source: PlaylistSource(bytes),
            options: options,
            isLenient: isLenient,
            keepsDiagnostics: keepsDiagnostics
        )
        guard bytes.count <= min(options.limits.bytes, Int(Int32.max)) else {
            context.report(
                .limitExceeded,
                line: 0,
                "the playlist is larger than the limit of \(options.limits.bytes) bytes"
            )
            try context.check()
            return (.multivariant(MultivariantPlaylist()), [])
        }
        do throws(PlaylistError) {
            let playlist: Playlist
            switch kind(context.source) {
            case .media: playlist = .media(try MediaPlaylist(context))
            case .multivariant: playlist = .multivariant(try MultivariantPlaylist(context))
            }
            return (playlist, context.diagnostics)
        } catch {
            if isLenient || error.rule == .limitExceeded { throw error }
            throw firstError(bytes, options) ?? error
        }
    }

    /// Returns the error on the first line with an error. Missing tags and URI lines are only detected on later lines,
    /// so strict parsing may find an error on a later line first.
    private static func firstError(_ bytes: [UInt8], _ options: ParsingOptions) -> PlaylistError? {
        let errors = try? read(bytes, options, isLenient: true).diagnostics.filter { $0.severity == .error }
        let line = { (diagnostic: Diagnostic) in diagnostic.line == 0 ? Int.max : diagnostic.line }
        return errors?.min { line($0) < line($1) }.map { PlaylistError($0) }
    }

    /// Returns the kind of a playlist, by its first tag that only one kind may have. A playlist without such a tag is
    /// an empty Multivariant Playlist (section 4.1).
    static func kind(_ source: PlaylistSource) -> Playlist.Kind {
        let bytes = source.bytes
        let span = bytes.span.bytes
        var offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while offset < bytes.count {
            let line = source.scan(span, from: offset)
            offset = line.next
            if case .tag(let name, _) = LineContent(span, source.withoutBlanks(line.start..<line.end)) {
                switch name.family {
                case .any: break
                case .multivariant: return .multivariant
                case .mediaPlaylist, .mediaSegment, .mediaMetadata: return .media
                }
            }
        }
        return .multivariant
    }

    /// Returns the offset of the content of the first line, and reports a byte order mark and lines that end with CR.
    static func start(_ context: ReadingContext) -> Int {
        if context.source.usesCR {
            context.report(
                .controlCharacter,
                line: 1,
                "the lines end with a carriage return (U+000D): end them with a line feed (U+000A)"
            )
        }
        guard context.source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return 0 }
        context.report(
            .bom,
            at: 0,
            line: 1,
            "the playlist begins with a byte order mark, which players may reject: save it as UTF-8 without a byte "
                + "order mark"
        )
        return 3
    }

    /// Returns whether a file begins with `#EXTM3U`. Players do not read other files. White space and a byte order mark
    /// before it are accepted.
    static func hasHeader(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.starts(with: Array("#EXTM3U".utf8))
    }

    /// The error for a file that does not begin with `#EXTM3U`.
    static let noHeader = PlaylistError(
        Diagnostic(
            rule: .missingExtM3U,
            severity: .error,
            line: 1,
            message: "the file is not a playlist: the first line must be #EXTM3U"
        )
    )

    /// Checks that the first line is `#EXTM3U`.
    static func checkFirstLine(_ context: ReadingContext, _ start: Int) {
        let bytes = context.source.bytes
        let line = start < bytes.count ? context.source.scan(bytes.span.bytes, from: start) : nil
        // White space around the tag is reported with that of other lines.
        let content = context.source.withoutBlanks(start..<(line?.end ?? start))
        if !bytes[content].elementsEqual(Array("#EXTM3U".utf8)) {
            context.report(.missingExtM3U, line: 1, "the first line must be #EXTM3U")
        }
    }
}
