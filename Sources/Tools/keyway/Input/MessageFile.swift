import ToolSupport

/// The type of an FPS message: an SPC (the request of a device) or a CKC (the response of a server).
enum MessageKind: Sendable {
    case spc
    case ckc

    /// The name with its article.
    var description: String { self == .spc ? "an SPC" : "a CKC" }
    /// The name of the command for the message.
    var command: String { self == .spc ? "spc" : "ckc" }
    /// The other message type.
    var other: MessageKind { self == .spc ? .ckc : .spc }
}

/// Reads SPCs and CKCs from files, in binary or base64.
enum MessageFile {
    /// A message, and the encoding of the input.
    struct Content: Sendable {
        /// The decoded message.
        let bytes: [UInt8]
        /// True if the input is base64.
        let isBase64: Bool
    }

    /// Returns the bytes of the message in a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file; `-` means standard input.
    ///   - message: The expected message type.
    ///   - allowsVersion3: Whether to accept an SPC of version 3, which only a DASk plug-in can open.
    ///   - allowsWrongLength: Whether to accept a message that is truncated or has extra bytes, because a later check
    ///     reports that.
    /// - Throws: A failure that names the actual type of the file.
    static func read(
        _ path: String,
        as message: MessageKind,
        allowsVersion3: Bool = false,
        allowsWrongLength: Bool = false
    ) throws(CommandFailure) -> [UInt8] {
        let content = try load(
            path,
            as: message,
            allowsVersion3: allowsVersion3,
            allowsWrongLength: allowsWrongLength
        )
        return content.bytes
    }

    /// Returns the message in a file, and its encoding. The parameters are those of ``read(_:as:allowsVersion3:allowsWrongLength:)``.
    static func load(
        _ path: String,
        as message: MessageKind,
        allowsVersion3: Bool = false,
        allowsWrongLength: Bool = false
    ) throws(CommandFailure) -> Content {
        try decode(
            InputFile.read(path),
            as: message,
            name: path == "-" ? "standard input" : path,
            allowsVersion3: allowsVersion3,
            allowsWrongLength: allowsWrongLength
        )
    }

    /// Returns the message in these bytes. `name` is the input's name in error messages.
    static func decode(
        _ bytes: [UInt8],
        as message: MessageKind,
        name: String,
        allowsVersion3: Bool = false,
        allowsWrongLength: Bool = false
    ) throws(CommandFailure) -> Content {
        let kind = FileKind(bytes)
        let isBase64 = if case .base64 = kind { true } else { false }
        // Non-ASCII bytes at the beginning are a byte order mark.
        let decoded = isBase64 ? TextEncodings.base64(bytes.drop { $0 > 0x7f }) : bytes
        let isAccepted =
            switch kind.messageWithin {
            case .spc(3, _)?: message == .spc && allowsVersion3
            case .spc(_, let completeness)?: message == .spc && (completeness == .complete || allowsWrongLength)
            case .ckc(let completeness)?: message == .ckc && (completeness == .complete || allowsWrongLength)
            default: false
            }
        if isAccepted, let decoded { return Content(bytes: decoded, isBase64: isBase64) }
        throw .input(problem(kind, name, message), next: kind.advice(expecting: message))
    }

    private static func problem(_ kind: FileKind, _ name: String, _ message: MessageKind) -> String {
        switch (kind, message) {
        // The type is correct, but the length or the version is not accepted.
        case (.spc, .spc), (.base64(.spc), .spc), (.ckc, .ckc), (.base64(.ckc), .ckc): "\(name) is \(kind.description)"
        default: "\(name) is \(kind.description), not \(message.description)"
        }
    }
}

extension FileKind {
    /// The message that this is, or that it encodes in base64.
    fileprivate var messageWithin: FileKind? {
        switch self {
        case .spc, .ckc: self
        case .base64(let kind): if case .base64 = kind { nil } else { kind.messageWithin }
        default: nil
        }
    }
}
