import CWebFiles
import FPSCrypto
import HTTPTypes
import NIOCore
import TextCoding

/// A file of a web page, embedded in the server's executable.
struct WebFile: Sendable {
    /// The last component of the path, such as `app.js`.
    let name: String
    let mediaType: String
    /// The strong entity tag with its quotation marks: the first 16 bytes of the file's SHA-256.
    let entityTag: String
    let body: ByteBuffer

    /// Creates a file; nil if there is no media type for the extension of its name.
    init?(name: String, bytes: [UInt8]) {
        guard let ending = name.split(separator: ".").last, let type = Self.mediaTypes[String(ending)] else {
            return nil
        }
        self.name = name
        mediaType = type
        entityTag = "\"" + Hexadecimal.encode(Array(SHA256.hash(bytes).prefix(16))) + "\""
        body = ByteBuffer(bytes: bytes)
    }

    /// The media types by file extension. Other files are not served: with `nosniff`, a page with a wrong type does not
    /// work.
    private static let mediaTypes = [
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
        "json": "application/json",
        // TypeScript declarations, for developers who open them in a browser.
        "ts": "text/plain; charset=utf-8",
    ]

    /// Returns every file of an embedded table.
    static func files(of table: keyway_web_files) -> [WebFile] {
        UnsafeBufferPointer(start: table.files, count: table.count).compactMap { file in
            WebFile(
                name: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            )
        }
    }

    /// Returns whether a browser that sends this `If-None-Match` header has the current file.
    func matches(_ field: String) -> Bool {
        field.split(separator: ",").contains { part in
            var tag = part.drop { $0 == " " || $0 == "\t" }
            // The comparison is weak (RFC 9110, 13.1.2), because a proxy that compresses the file makes its tag weak.
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            while let last = tag.last, last == " " || last == "\t" { tag.removeLast() }
            return tag == "*" || tag == entityTag[...]
        }
    }
}
