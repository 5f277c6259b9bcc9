package import Foundation

/// A file of `TestVectors/`: the expected result, facts, and the message. TestVectors/README.md describes the format.
package struct VectorFile: Sendable, CustomStringConvertible {
    /// The folder and the name, for example `spc/v2-iphone`.
    package let name: String
    /// The headers, including `expect`.
    package let headers: [String: String]
    /// The message.
    package let message: [UInt8]

    /// An error in a vector file itself.
    package struct Unreadable: Error, CustomStringConvertible {
        /// The file, and its error.
        package let description: String
    }

    /// The folder of all vectors.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "TestVectors")

    /// Returns all vectors of a folder, by name.
    ///
    /// - Throws: ``Unreadable`` if a file does not have the format in the README, or if there is none.
    package static func all(in folder: String) throws -> [VectorFile] {
        let files = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(".txt") }.sorted()
        guard !files.isEmpty else { throw Unreadable(description: "no vectors in \(folder)") }
        return try files.map { try VectorFile(path: "\(folder)/\($0)") }
    }

    /// Reads a file at a path below ``root``.
    package init(path: String) throws {
        func unreadable(_ what: String) -> Unreadable { Unreadable(description: "\(path): \(what)") }
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        guard let gap = text.range(of: "\n\n") else { throw unreadable("no blank line after the headers") }
        var headers: [String: String] = [:]
        for line in text[..<gap.lowerBound].split(separator: "\n") {
            guard let colon = line.range(of: ": ") else { throw unreadable("a header without a colon: \(line)") }
            headers[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        let body = text[gap.upperBound...].filter { $0 != "\n" }
        guard let data = Data(base64Encoded: String(body)) else { throw unreadable("the message is not base64") }
        name = String(path.dropLast(4))
        self.headers = headers
        message = [UInt8](data)
        guard isSuccess || headers["expect"] == "failure" else {
            throw unreadable("the expect header must be success or failure")
        }
    }

    /// True if the message must be accepted.
    package var isSuccess: Bool { headers["expect"] == "success" }
    /// The error code that the refusal must have.
    package var error: String? { headers["error"] }
    /// The stage at which the message must be refused.
    package var stage: String? { headers["stage"] }

    /// The name.
    package var description: String { name }

    /// Returns the value of a fact; nil if absent.
    package subscript(fact: String) -> String? { headers[fact] }

    /// Returns the value of a fact that is a byte string.
    package func bytes(_ fact: String) -> [UInt8]? {
        headers[fact].flatMap { $0 == "-" ? [] : Self.bytes(hexadecimal: $0) }
    }

    /// Returns the value of a fact that is a list; `-` alone is an empty list.
    package func list(_ fact: String) -> [String]? {
        headers[fact].map { $0 == "-" ? [] : $0.split(separator: " ").map(String.init) }
    }

    /// Parses hexadecimal digits; returns nil for anything else.
    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        guard text.count.isMultiple(of: 2), text.allSatisfy(\.isHexDigit) else { return nil }
        return stride(from: 0, to: text.count, by: 2).compactMap { start in
            let from = text.index(text.startIndex, offsetBy: start)
            return UInt8(text[from..<text.index(from, offsetBy: 2)], radix: 16)
        }
    }

    /// Returns the bytes as lowercase hexadecimal digits.
    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
