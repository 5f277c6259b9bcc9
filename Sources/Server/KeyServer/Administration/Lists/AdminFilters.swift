import KeyStore
import TextCoding

/// Parses the parameters by which lists and the audit log are filtered.
enum AdminFilters {
    /// Returns text of 1 to 200 bytes without control characters, which no record contains.
    static func text(_ parameter: String, _ value: [UInt8]) throws(ProblemDocument) -> String {
        guard 1...200 ~= value.count, let text = String(validating: value, as: UTF8.self),
            value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "\(parameter) must be text of 1 to 200 bytes without control characters."
            )
        }
        return text
    }

    /// Returns an account, 1 to 200 bytes.
    static func account(_ value: [UInt8]) throws(ProblemDocument) -> String {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw ProblemDocument(.malformedRequest, detail: "The account is not UTF-8.")
        }
        return try AdminRequest.account(text)
    }

    /// Returns an asset ID: the bytes of the text, or those of hexadecimal digits after `0x`. Text that starts with
    /// `0x` but has other characters is used as it is.
    ///
    /// - Throws: ``ProblemDocument`` unless it has 1 to 200 bytes, or twice as many digits.
    static func asset(_ value: [UInt8]) throws(ProblemDocument) -> [UInt8] {
        guard 1...402 ~= value.count else {
            throw ProblemDocument(.malformedRequest, detail: "The asset ID must have 1 to 200 bytes.")
        }
        guard value.starts(with: Array("0x".utf8)), let bytes = Hexadecimal.decode(value.dropFirst(2)), !bytes.isEmpty
        else { return value }
        return bytes
    }

    /// Returns the name of a title, 1 to 100 letters, digits, dots, hyphens and underscores.
    static func title(_ value: [UInt8]) throws(ProblemDocument) -> String {
        let name = String(decoding: value, as: UTF8.self)
        do throws(KeyStoreError) { try requireName(name, in: "title") } catch {
            throw ProblemDocument(
                .malformedRequest,
                detail: "title must have 1 to 100 letters, digits, dots, hyphens or underscores."
            )
        }
        return name
    }

    /// Returns a device, 32 hexadecimal digits.
    static func device(_ value: [UInt8]) throws(ProblemDocument) -> DeviceHash {
        guard let bytes = Hexadecimal.decode(value), let device = DeviceHash(stored: bytes) else {
            throw ProblemDocument(.malformedRequest, detail: "The device must be 32 hexadecimal digits.")
        }
        return device
    }

    /// Returns a time in Unix milliseconds, from Unix seconds or a time of RFC 3339 with a zone.
    static func milliseconds(_ parameter: String, _ value: [UInt8]) throws(ProblemDocument) -> Int64 {
        // No time is longer; leading zeros could be.
        let text = String(decoding: value.prefix(longestTime + 1), as: UTF8.self)
        if value.count <= longestTime, let seconds = Int64(text), (0...times).contains(seconds) {
            return seconds * 1_000
        }
        if value.count <= longestTime, let time = Timestamp(text), time.utcOffset != nil {
            return time.seconds * 1_000 + Int64(time.nanoseconds / 1_000_000)
        }
        throw ProblemDocument(
            .malformedRequest,
            detail: "\(parameter) must be a time in Unix seconds, or of RFC 3339, such as 2026-11-21T20:15:00Z."
        )
    }

    /// The maximum length of a time, in bytes.
    private static let longestTime = 64
    /// The end of the year 9999, in Unix seconds.
    private static let times: Int64 = 253_402_300_799
}

extension FormFields {
    /// Reads and removes a field with the number of an entry, at least 1; returns nil if it is missing.
    mutating func readNumber(_ name: String) throws(ProblemDocument) -> Int64? {
        guard let text = try read(name) else { return nil }
        guard let number = Int64(String(decoding: text, as: UTF8.self)), number > 0 else {
            throw ProblemDocument(.malformedRequest, detail: "\(name) must be the number of an entry.")
        }
        return number
    }
}
