public import DRMSignaling

extension PackagingJob {
    /// An input, and what is to become of its tracks.
    ///
    ///     input   = path *( "," option )
    ///     option  = name "=" value
    ///     name    = "lang" / "name" / "role" / "group" / "policy" / "tracks"
    ///     path    = *( any but "," and "\" / "\," / "\\" )        value: likewise
    ///
    /// `movie.mp4,lang=en`. A comma that belongs to a path or a value is written `\,`, a backslash `\\`. A path that
    /// begins with `-` is written `./-`; `-` alone is standard input.
    public struct Input: Hashable, Sendable {
        /// What decides the key and the output protection of an input's tracks.
        public enum Policy: Hashable, Sendable {
            /// They are as precious as this class says, whatever their size.
            case trackClass(TrackClass)
            /// They stay clear.
            case clear
        }

        /// The path; `-` for standard input.
        public var path: String
        /// The language as a BCP 47 tag; nil: that of the tracks.
        public var language: String?
        /// The name for people; nil: made from the language.
        public var name: String?
        /// What it is for; nil: nothing is said.
        public var role: TrackRole?
        /// The group of EXT-X-MEDIA; nil: by codec.
        public var group: String?
        /// What its tracks are protected by; nil: what their kind and size say.
        public var policy: Policy?
        /// Which of its tracks are taken; nil: all.
        package var tracks: Set<MediaTrack.Kind>?

        /// Takes an input as it is.
        public init(path: String) { self.path = path }

        /// Whether a kind of track is taken.
        package func takes(_ kind: MediaTrack.Kind) -> Bool { tracks?.contains(kind) ?? true }

        /// Whether it is standard input.
        package var isStandardInput: Bool { path == "-" }
    }
}

extension PackagingJob.Input {
    /// The names of the options.
    package static let optionNames = ["lang", "name", "role", "group", "policy", "tracks"]

    /// Reads an input as it is written on a command line.
    ///
    /// - Throws: ``JobFailure`` that says which part is wrong.
    package init(parsing text: String) throws(JobFailure) {
        var parts = Self.parts(of: text)
        self.init(path: parts.removeFirst())
        guard !path.isEmpty else {
            throw JobFailure("input", "“\(text)” has no path: write PATH or PATH,lang=en")
        }
        var seen: Set<String> = []
        for part in parts {
            guard let sign = part.firstIndex(of: "="), Self.optionNames.contains(String(part[..<sign])) else {
                throw JobFailure(
                    "input",
                    "“\(part)”, behind the comma in “\(text)”, is none of \(Self.optionNames.joined(separator: "=, "))=; "
                        + "a comma of the path itself is written \\,"
                )
            }
            let name = String(part[..<sign])
            guard seen.insert(name).inserted else {
                throw JobFailure("input", "“\(text)” has \(name)= twice: keep one of the two")
            }
            try set(name, String(part[part.index(after: sign)...]))
        }
    }

    /// Sets an option by its name.
    ///
    /// - Throws: ``JobFailure`` when there is no such option, or not such a value.
    package mutating func set(_ option: String, _ value: String) throws(JobFailure) {
        guard !value.isEmpty else { throw JobFailure("input", "\(option)= of \(path) is empty: leave it out") }
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
        default: throw Self.unknown(option, "option of an input", Self.optionNames)
        }
    }

    private static func language(_ value: String) throws(JobFailure) -> String {
        guard let tag = TrackLanguage.tag(value) else {
            throw JobFailure(
                "input",
                "lang=\(value) is no language tag: write one of BCP 47, such as en, pt-BR or zh-Hant"
            )
        }
        return tag
    }

    /// A quotation mark or a line break would end an attribute of a playlist.
    private static func text(_ value: String, _ option: String) throws(JobFailure) -> String {
        guard value.unicodeScalars.allSatisfy({ $0 != "\"" && $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw JobFailure("input", "\(option)= holds a quotation mark or a control character: leave it out")
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
                throw unknown(String(word), "kind of track", ["video", "audio", "subtitles"])
            }
            kinds.insert(kind)
        }
        return kinds
    }

    private static func unknown(_ value: String, _ what: String, _ known: [String]) -> JobFailure {
        JobFailure("input", "“\(value)” is no \(what); there are \(known.joined(separator: ", "))")
    }

    /// Divides at the commas that no backslash takes the meaning from. Backslashes before other characters stay.
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
