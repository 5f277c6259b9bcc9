import CWebFiles
import FPSCrypto
import HTTPTypes
import NIOCore
import TextCoding

/// A file of a web page, out of the server's own executable.
struct WebFile: Sendable {
    /// Its last part of the path: `app.js`.
    let name: String
    let mediaType: String
    /// A strong entity tag, with its quotation marks: the first 16 bytes of SHA-256 over the bytes.
    let entityTag: String
    let body: ByteBuffer

    /// - Returns: nil when the ending of the name stands for no media type that is served.
    init?(name: String, bytes: [UInt8]) {
        guard let ending = name.split(separator: ".").last, let type = Self.mediaTypes[String(ending)] else {
            return nil
        }
        self.name = name
        mediaType = type
        entityTag = "\"" + Hexadecimal.encode(Array(SHA256.hash(bytes).prefix(16))) + "\""
        body = ByteBuffer(bytes: bytes)
    }

    /// What is served. Nothing else is: with `nosniff`, a wrong type is a page that does not work.
    private static let mediaTypes = [
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
        "json": "application/json",
    ]

    /// Every file of an embedded table.
    static func files(of table: keyway_web_files) -> [WebFile] {
        UnsafeBufferPointer(start: table.files, count: table.count).compactMap { file in
            WebFile(
                name: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            )
        }
    }

    /// Whether a browser that names these entity tags in `If-None-Match` has the file.
    func matches(_ field: String) -> Bool {
        field.split(separator: ",").contains { part in
            var tag = part.drop { $0 == " " || $0 == "\t" }
            // The comparison is the weak one (RFC 9110, 13.1.2): a proxy that compressed the file made its tag weak.
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            while let last = tag.last, last == " " || last == "\t" { tag.removeLast() }
            return tag == "*" || tag == entityTag[...]
        }
    }
}
