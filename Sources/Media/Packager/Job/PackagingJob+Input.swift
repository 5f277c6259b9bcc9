public import DRMSignaling
import FileWriting

extension PackagingJob {
    /// An input and the options for its tracks.
    ///
    ///     input   = path *( "," option )
    ///     option  = name "=" value
    ///     name    = "lang" / "name" / "role" / "group" / "policy" / "tracks"
    ///     path    = *( any but "," and "\" / "\," / "\\" )        value: likewise
    ///
    /// Example: `movie.mp4,lang=en`. A comma in a path or a value is escaped as `\,`, a backslash as `\\`. A path that
    /// starts with `-` is written `./-`; `-` alone is standard input.
    public struct Input: Hashable, Sendable {
        /// The policy that selects the key and the output protection of an input's tracks.
        public enum Policy: Hashable, Sendable {
            /// The tracks belong to this track class, whatever their resolution.
            case trackClass(TrackClass)
            /// The tracks are not encrypted.
            case clear
        }

        /// The path; `-` for standard input.
        public var path: String
        /// The language as a BCP 47 tag; nil to use the language of each track.
        public var language: String?
        /// The name shown to viewers (NAME of EXT-X-MEDIA); nil to derive it from the language.
        public var name: String?
        /// The role; nil if none is signaled.
        public var role: TrackRole?
        /// The rendition group (GROUP-ID of EXT-X-MEDIA); nil to group by codec.
        public var group: String?
        /// The protection policy; nil to choose by each track's kind and resolution.
        public var policy: Policy?
        /// The kinds of tracks to package; nil for all.
        package var tracks: Set<MediaTrack.Kind>?

        /// Creates an input with default options.
        public init(path: String) { self.path = path }

        /// Returns whether tracks of a kind are packaged.
        package func includes(_ kind: MediaTrack.Kind) -> Bool { tracks?.contains(kind) ?? true }

        /// True if the input is standard input.
        package var isStandardInput: Bool { path == "-" }

        /// True if the input is received by UDP or RTP.
        package var isFromNetwork: Bool { NetworkAddress.isAddress(path) }

        /// Checks that the path is not a URL, except one of UDP or RTP with a valid address.
        ///
        /// - Throws: ``JobFailure``.
        package func checkAddress() throws(JobFailure) {
            if isFromNetwork {
                _ = try NetworkAddress(parsing: path)
            } else if let reason = URLText.refusal(ofInput: path) {
                throw JobFailure("input", reason)
            }
        }
    }
}

extension PackagingJob.Input {
    /// The names of the input options.
    package static let optionNames = ["lang", "name", "role", "group", "policy", "tracks"]

    /// Parses an input in the syntax of the command line.
    ///
    /// - Throws: ``JobFailure`` with the invalid part.
    package init(parsing text: String) throws(JobFailure) {
        var parts = Self.parts(of: text)
        self.init(path: parts.removeFirst())
        guard !path.isEmpty else {
            throw JobFailure("input", "“\(text)” has no path: write PATH or PATH,lang=en")
        }
        try checkAddress()
        var seen: Set<String> = []
        for part in parts {
            guard let sign = part.firstIndex(of: "="), Self.optionNames.contains(String(part[..<sign])) else {
                throw JobFailure(
                    "input",
                    "“\(part)”, after a comma in “\(text)”, is not one of "
                        + "\(Self.optionNames.joined(separator: "=, "))=; write a comma in the path as \\,"
                )
            }
            let name = String(part[..<sign])
            guard seen.insert(name).inserted else {
                throw JobFailure("input", "“\(text)” specifies \(name)= twice: remove one")
            }
            try set(name, String(part[part.index(after: sign)...]))
        }
    }

    /// Sets an option by name.
    ///
    /// - Throws: ``JobFailure`` for an unknown option or an invalid value.
    package mutating func set(_ option: String, _ value: String) throws(JobFailure) {
        guard !value.isEmpty else {
            throw JobFailure("input", "\(option)= of \(path) is empty: remove it or give it a value")
        }
        switch option {
        case "lang": language = try Self.language(value)
        case "name": name = try Self.text(value, "name")
        case "role":
            guard let role = TrackRole(rawValue: value.lowercased()) else {
                throw Self.unknown(value, "role", TrackRole.allCases.map(\.rawValue))
            }
            self.role = role
        case "group": group = try Self.text(value, "group")
        case "policy": policy = try Self.policy(value)
        case "tracks": tracks = try Self.kinds(value)
        default: throw Self.unknown(option, "input option", Self.optionNames)
        }
    }

    private static func language(_ value: String) throws(JobFailure) -> String {
        guard let tag = TrackLanguage.tag(value) else {
            throw JobFailure(
                "input",
                "lang=\(value) is not a language tag: use a BCP 47 tag such as en, pt-BR or zh-Hant"
            )
        }
        return tag
    }

    /// Rejects quotation marks and line breaks, which would terminate a playlist attribute.
    private static func text(_ value: String, _ option: String) throws(JobFailure) -> String {
        guard value.unicodeScalars.allSatisfy({ $0 != "\"" && $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw JobFailure("input", "\(option)= contains a quotation mark or a control character: remove it")
        }
        return value
    }

    private static func policy(_ value: String) throws(JobFailure) -> Policy {
        if value.lowercased() == "clear" { return .clear }
        if let trackClass = TrackClass(parsing: value) { return .trackClass(trackClass) }
        throw unknown(value, "policy", TrackClass.allCases.map(\.rawValue) + ["clear"])
    }

    private static func kinds(_ value: String) throws(JobFailure) -> Set<MediaTrack.Kind> {
        var kinds: Set<MediaTrack.Kind> = []
        for word in value.split(separator: "+", omittingEmptySubsequences: false) {
            guard let kind = MediaTrack.Kind(rawValue: word.lowercased()) else {
                throw unknown(String(word), "track kind", ["video", "audio", "subtitles"])
            }
            kinds.insert(kind)
        }
        return kinds
    }

    private static func unknown(_ value: String, _ what: String, _ known: [String]) -> JobFailure {
        JobFailure("input", "“\(value)” is not a valid \(what): use one of \(known.joined(separator: ", "))")
    }

    /// Splits at the commas that are not escaped. A backslash before any other character is kept.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var rest = Substring(text)
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, next == "," || next == "\\" {
                parts[parts.count - 1].append(next)
                rest.removeFirst()
            } else if character == "," {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
