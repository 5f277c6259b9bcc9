/// The two messages of FPS.
enum MessageKind: Sendable {
    case spc
    case ckc

    /// With its article.
    var words: String { self == .spc ? "an SPC" : "a CKC" }
    /// The command that is about it.
    var command: String { self == .spc ? "spc" : "ckc" }
    /// The other one.
    var other: MessageKind { self == .spc ? .ckc : .spc }
}

/// Reads an SPC or a CKC from a file, in binary or base64.
enum MessageFile {
    /// The message's bytes.
    ///
    /// - Parameters:
    ///   - allowsVersion3: whether an SPC of version 3 is handed out, for a plug-in.
    ///   - allowsDamage: whether a message whose length is wrong is handed out, for a check that says so.
    /// - Throws: a failure that says what the file really is.
    static func read(
        _ path: String,
        as message: MessageKind,
        allowsVersion3: Bool = false,
        allowsDamage: Bool = false
    ) throws(CommandFailure) -> [UInt8] {
        try decode(
            InputFile.read(path),
            as: message,
            name: path == "-" ? "standard input" : path,
            allowsVersion3: allowsVersion3,
            allowsDamage: allowsDamage
        )
    }

    /// The message in these bytes; `name` is what errors call them.
    static func decode(
        _ bytes: [UInt8],
        as message: MessageKind,
        name: String,
        allowsVersion3: Bool = false,
        allowsDamage: Bool = false
    ) throws(CommandFailure) -> [UInt8] {
        let kind = FileKind(bytes)
        let decoded: [UInt8]? =
            switch kind {
            // A byte order mark, if there is one, is not ASCII.
            case .base64: TextEncodings.base64(bytes.drop { $0 > 0x7f })
            default: bytes
            }
        let isWelcome =
            switch kind.messageWithin {
            case .spc(3, _)?: message == .spc && allowsVersion3
            case .spc(_, let completeness)?: message == .spc && (completeness == .whole || allowsDamage)
            case .ckc(let completeness)?: message == .ckc && (completeness == .whole || allowsDamage)
            default: false
            }
        if isWelcome, let decoded { return decoded }
        throw .input(complaint(kind, name, message), next: kind.advice(expecting: message))
    }

    private static func complaint(_ kind: FileKind, _ name: String, _ message: MessageKind) -> String {
        switch (kind, message) {
        // It is what it should be, and damaged.
        case (.spc, .spc), (.base64(.spc), .spc), (.ckc, .ckc), (.base64(.ckc), .ckc): "\(name) is \(kind.words)"
        default: "\(name) is \(kind.words), not \(message.words)"
        }
    }
}

extension FileKind {
    /// The message that this is, or is base64 of.
    fileprivate var messageWithin: FileKind? {
        switch self {
        case .spc, .ckc: self
        case .base64(let kind): if case .base64 = kind { nil } else { kind.messageWithin }
        default: nil
        }
    }
}
