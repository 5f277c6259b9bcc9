import FPSCrypto
import FPSMessages
import Foundation
import TextCoding
import ToolSupport

/// The actual type of a file's content.
indirect enum FileKind: Equatable, Sendable {
    /// No bytes, or only white space.
    case empty
    /// An SPC of this version.
    case spc(version: UInt32, Completeness)
    /// A CKC.
    case ckc(Completeness)
    /// A certificate with this subject.
    case certificate(Encoding, subject: String)
    /// A private key.
    case privateKey(Encoding)
    /// PEM of another type, with this label.
    case pem(label: String)
    /// A web page.
    case html
    /// XML, such as a property list.
    case xml
    /// A compressed body that was saved without decompression.
    case gzip
    /// A playlist.
    case playlist
    /// An `skd://` URI, from which a device makes a key request.
    case keyURI
    /// JSON.
    case json(JSONContent)
    /// A form body with this field and content.
    case form(field: String, FileKind)
    /// Base64 of this content.
    case base64(FileKind)
    /// Base64 of a message in which spaces replace the plus signs.
    case base64WithoutPlus(FileKind)
    /// Hexadecimal of this content.
    case hexadecimal(FileKind)
    /// UTF-16 text with this content.
    case utf16(FileKind)
    /// Other text.
    case text
    /// Other bytes; the first four in hexadecimal if they look like a number, because that may be a version. No other
    /// bytes are shown, because they may be a key.
    case binary(version: String?)

    /// The consistency of a message's size with its length fields.
    enum Completeness: Equatable, Sendable {
        /// The size is exact.
        case complete
        /// At least this number of bytes is missing.
        case truncated(missing: Int)
        /// This number of bytes is extra.
        case excess(Int)
        /// The length field is not a multiple of 16.
        case invalidLength(Int)
    }

    /// The encoding of a certificate or a key.
    enum Encoding: String, Sendable {
        case pem = "PEM"
        case der = "DER"
    }

    /// The content of a JSON document.
    enum JSONContent: Equatable, Sendable {
        /// A message, in the field with this name.
        case message(field: String)
        /// An error, with this message.
        case error(String)
        /// Other content.
        case other
    }
}

extension FileKind {
    /// The maximum depth of nested text encodings.
    private static let maximumDepth = 4

    /// Detects the type. This never fails, and its cost is linear because every encoding is tried only once.
    init(_ bytes: [UInt8]) { self.init(bytes, depth: 0) }

    private init(_ bytes: [UInt8], depth: Int) {
        if let kind = Self.message(bytes) ?? Self.credential(bytes) {
            self = kind
        } else if bytes.starts(with: [0x1f, 0x8b]) {
            self = .gzip
        } else if depth < Self.maximumDepth, let text = TextEncodings.utf16(bytes) {
            self = .utf16(FileKind(text, depth: depth + 1))
        } else if let text = Self.trimmedText(bytes) {
            self = Self.text(text, depth: depth)
        } else {
            let isNumber = bytes.count >= 4 && bytes.prefix(4).count { $0 == 0 } >= 2
            self = .binary(version: isNumber ? Hexadecimal.encode(bytes.prefix(4)) : nil)
        }
    }

    /// True if this is a complete SPC or CKC.
    private var isCompleteMessage: Bool {
        switch self {
        case .spc(_, .complete), .ckc(.complete): true
        default: false
        }
    }

    /// Returns the text without leading and trailing white space and byte order mark; nil if it contains bytes that do
    /// not occur in text.
    private static func trimmedText(_ bytes: [UInt8]) -> [UInt8]? {
        var text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || TextEncodings.isSpace($0) }),
            String(validating: text, as: UTF8.self) != nil
        else { return nil }
        text = text.drop(while: TextEncodings.isSpace)
        while let last = text.last, TextEncodings.isSpace(last) { text.removeLast() }
        return Array(text)
    }

    private static func text(_ text: [UInt8], depth: Int) -> FileKind {
        guard !text.isEmpty else { return .empty }
        let beginning = String(decoding: text.prefix(200), as: UTF8.self).lowercased()
        if ["<!doctype html", "<html", "<head", "<body"].contains(where: beginning.hasPrefix) { return .html }
        if beginning.hasPrefix("<") { return beginning.contains("<html") ? .html : .xml }
        if beginning.hasPrefix("#extm3u") { return .playlist }
        if beginning.hasPrefix("skd://") { return .keyURI }
        if beginning.hasPrefix("{") || beginning.hasPrefix("["), let content = JSONContent(text) {
            return .json(content)
        }
        guard depth < maximumDepth else { return .text }
        // Hexadecimal digits are valid base64 too, so hexadecimal is tried first.
        if let bytes = HexArgument.decode(text) { return .hexadecimal(FileKind(bytes, depth: depth + 1)) }
        // Short words are valid base64 too, but no encoded content is that short.
        if text.count >= 16 {
            let plain = TextEncodings.base64(text).map { FileKind($0, depth: depth + 1) }
            if plain?.isCompleteMessage != true, text.contains(0x20) {
                let repaired = text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
                let other = TextEncodings.base64(repaired).map { FileKind($0, depth: depth + 1) }
                if let other, other.isCompleteMessage { return .base64WithoutPlus(other) }
            }
            if let plain { return .base64(plain) }
        }
        if let (field, value) = formField(text) {
            return .form(field: field, FileKind(TextEncodings.formDecoded(value), depth: depth + 1))
        }
        return .text
    }

    /// Returns the field of a form body that contains a message, or its first field.
    private static func formField(_ text: [UInt8]) -> (name: String, value: ArraySlice<UInt8>)? {
        let fields = text.split(separator: UInt8(ascii: "&")).compactMap { part -> (String, ArraySlice<UInt8>)? in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), part.startIndex < equals else { return nil }
            let name = part[..<equals]
            guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
            return (String(decoding: name, as: UTF8.self), part[(equals + 1)...])
        }
        return fields.first { ["spc", "ckc"].contains($0.0.lowercased()) } ?? fields.first
    }
}

extension FileKind.JSONContent {
    /// Searches for a message or an error; nil if this is not JSON.
    fileprivate init?(_ text: [UInt8]) {
        guard let document = try? JSONSerialization.jsonObject(with: Data(text)) else { return nil }
        guard let fields = document as? [String: Any] else {
            self = .other
            return
        }
        if let field = ["spc", "ckc", "SPC", "CKC"].first(where: { fields[$0] is String }) {
            self = .message(field: field)
        } else if let list = fields.keys.first(where: { $0.hasPrefix("fairplay-streaming-") }) {
            self = .message(field: list)
        } else if let error = ["detail", "title", "error_description", "error", "message", "reason"]
            .lazy.compactMap({ fields[$0] as? String }).first
        {
            self = .error(error)
        } else {
            self = .other
        }
    }
}
