import TextCoding

/// The fields of a `multipart/form-data` body (RFC 7578; RFC 2046, section 5.1.1).
///
///     body        = [preamble CRLF] delimiter *( part delimiter ) close [CRLF epilogue]
///     delimiter   = [CRLF] "--" boundary *( SP / HTAB ) CRLF
///     close       = CRLF "--" boundary "--"
///     part        = *( header CRLF ) CRLF *OCTET
///
/// The name of a field is the parameter `name` of its Content-Disposition. Other headers are ignored; parts without a
/// name are too.
struct MultipartForm {
    /// The maximum number of parts.
    private static let maximumParts = 64

    /// The fields in order; a value is the bytes of its part.
    private(set) var fields: [(name: String, value: [UInt8])] = []

    /// Parses a body, whose size the caller has limited.
    ///
    /// - Throws: ``ProblemDocument`` of type ``ProblemType/malformedRequest``.
    init(_ body: [UInt8], contentType: String?) throws(ProblemDocument) {
        let declared = contentType.flatMap { Self.parameter("boundary", of: $0) }
        guard let boundary = declared ?? (Self.matches(body[...]) ? Self.firstBoundary(in: body[...]) : nil),
            (1...70).contains(boundary.utf8.count)
        else { throw Self.malformed("Content-Type has no boundary of 1 to 70 characters.") }
        // A line break precedes each delimiter; that of the first one may be missing.
        let bytes = Array("\r\n".utf8) + body
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var starts: [Int] = []
        var position = 0
        while let start = Self.find(delimiter, in: bytes, from: position) {
            guard starts.count <= Self.maximumParts else {
                throw Self.malformed("The form has more than \(Self.maximumParts) parts.")
            }
            starts.append(start)
            position = start + delimiter.count
            if bytes[position...].starts(with: "--".utf8) { break }
        }
        guard let last = starts.last, bytes[(last + delimiter.count)...].starts(with: "--".utf8) else {
            throw Self.malformed("The form does not end with its boundary.")
        }
        for (start, end) in zip(starts, starts.dropFirst()) {
            guard let part = Self.part(Array(bytes[(start + delimiter.count)..<end])) else {
                throw Self.malformed("A part has no empty line after its headers.")
            }
            if let name = part.name { fields.append((name, part.value)) }
        }
    }

    /// Returns whether a body starts with a part of a form. Some apps declare another type for a `FormData` object, so
    /// that the boundary is only in the body.
    static func matches(_ body: ArraySlice<UInt8>) -> Bool {
        guard let boundary = firstBoundary(in: body), (1...70).contains(boundary.utf8.count) else { return false }
        let name = body.dropFirst(boundary.utf8.count + 4).prefix(20)
        return String(decoding: name, as: UTF8.self).lowercased() == "content-disposition:"
    }

    /// Returns the boundary in the first line, `--` and the boundary; nil if the body does not start with one.
    private static func firstBoundary(in body: ArraySlice<UInt8>) -> String? {
        guard body.starts(with: "--".utf8) else { return nil }
        let line = body.dropFirst(2).prefix(71).prefix { $0 != 0x0D && $0 != 0x0A }
        return String(validating: Array(line), as: UTF8.self)
    }

    private static func malformed(_ detail: String) -> ProblemDocument {
        ProblemDocument(.malformedRequest, detail: detail)
    }

    private static func part(_ bytes: [UInt8]) -> (name: String?, value: [UInt8])? {
        // The rest of the delimiter's line, and then the headers.
        guard let end = find(Array("\r\n\r\n".utf8), in: bytes, from: 0) else { return nil }
        let headers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let disposition = headers.first { $0.lowercased().hasPrefix("content-disposition:") }
        return (disposition.flatMap { parameter("name", of: $0) }, Array(bytes[(end + 4)...]))
    }

    /// Returns the value of a header's parameter, without its quotation marks.
    private static func parameter(_ name: String, of header: some StringProtocol) -> String? {
        for part in header.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " || $0 == "\t" }).lowercased() == name else {
                continue
            }
            let value = pair[1].drop { $0 == " " || $0 == "\t" }
            return value.first == "\""
                ? String(value.dropFirst().prefix { $0 != "\"" }) : String(value.prefix { $0 != " " })
        }
        return nil
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + pattern.count <= bytes.count {
            if bytes[position] == pattern[0], bytes[position..<position + pattern.count].elementsEqual(pattern) {
                return position
            }
            position += 1
        }
        return nil
    }
}
