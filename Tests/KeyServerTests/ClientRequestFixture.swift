import Foundation
import Testing
import TextCoding

@testable import KeyServer

/// A request of a published client, from a file in `ClientRequests`.
///
///     # Client: what sends it
///     # Source: repository, file and version
///     # Taken: what was taken from there
///     # Settings: presets=NAME token=FIELD
///     # Account: the token
///     # Asset: the content identifier in the SPC
///     # Reads: how the client takes the CKC from the response
///     POST /fps/license HTTP/1.1
///     Name: value
///
///     body
///
/// The last three of the settings are optional. Placeholders in the body are `{{spc}}`, `{{spc-base64}}`,
/// `{{spc-base64-escaped}}`, `{{spc-base64url}}` and `{{other-spc-base64}}`, the SPC of another request. Line breaks of
/// the head, and those of the body of a form with parts, are sent as CR LF.
struct ClientRequestFixture: Sendable, CustomTestStringConvertible {
    struct Malformed: Error {}

    /// How a client takes the CKC from a response.
    enum Reading: Sendable {
        /// The body.
        case octets
        /// The body in base64, with white space around it.
        case base64
        /// A member of the JSON body, in base64: its names and indexes.
        case json([String])
        /// The element `ckc` or the member `ckc` of the body in base64, otherwise the body (Shaka Player).
        case shaka
        /// Like Shaka Player, and a body that is base64 (dash.js).
        case dash
    }

    let name: String
    private let fields: [String: String]
    private let head: [String]
    private let body: String

    var testDescription: String { name }

    static let all: [ClientRequestFixture] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "ClientRequests")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".http") }.sorted().map { name in
            let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
            return ClientRequestFixture(name: String(name.dropLast(5)), text: text)
        }
    }()

    private init(name: String, text: String) {
        self.name = name
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var fields: [String: String] = [:]
        var last = ""
        while let line = lines.first, line.hasPrefix("#") {
            let content = line.dropFirst(2)
            if content.hasPrefix("  ") {
                fields[last, default: ""] += " " + content.dropFirst(2)
            } else if let colon = content.firstIndex(of: ":") {
                last = String(content[..<colon])
                fields[last] = String(content[content.index(after: colon)...].drop { $0 == " " })
            }
            lines = lines.dropFirst()
        }
        self.fields = fields
        head = lines.prefix { !$0.isEmpty }.map(String.init)
        let rest = lines.dropFirst(head.count + 1).joined(separator: "\n")
        body = rest.hasSuffix("\n") ? String(rest.dropLast()) : rest
    }

    /// True if all parts of the file are there.
    var isComplete: Bool {
        ["Client", "Source", "Taken", "Reads"].allSatisfy { fields[$0]?.isEmpty == false } && body.contains("{{spc")
            && head.first?.hasPrefix("POST /fps/license") == true && reading != nil
    }

    var account: String { fields["Account"] ?? "viewer" }
    var asset: [UInt8] { Array((fields["Asset"] ?? "movie").utf8) }

    /// The settings of the server that the client needs.
    var rules: LicenseRequestRules {
        var rules = LicenseRequestRules()
        for setting in (fields["Settings"] ?? "").split(separator: " ") {
            let pair = setting.split(separator: "=").map(String.init)
            if pair.first == "presets" { rules.presets = pair.dropFirst().compactMap { .init(rawValue: $0) } }
            if pair.first == "token" { rules.names.token += pair.dropFirst() }
        }
        return rules
    }

    var reading: Reading? {
        let words = (fields["Reads"] ?? "").split(separator: " ").map(String.init)
        return switch words.first {
        case "octets": .octets
        case "base64": .base64
        case "json": .json((words.last ?? "").split(separator: "/").map(String.init))
        case "shaka": .shaka
        case "dash.js": .dash
        default: nil
        }
    }

    /// The path and query.
    var target: String { head.first?.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    /// The header fields; names are in lowercase.
    var headers: [(name: String, value: String)] {
        head.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    /// The origin of the page that sends the request; nil for an app.
    var origin: String? { headers.first { $0.name == "origin" }?.value }

    /// The headers for which a browser needs permission. `Content-Type` with one of the types of forms needs none.
    var pageHeaders: [String] {
        let safe: Set = ["host", "accept", "origin", "content-length", "connection", "accept-language"]
        return headers.map(\.name).filter { !safe.contains($0) }
    }

    /// Returns the bytes of the request.
    ///
    /// - Parameters:
    ///   - other: Another SPC, for a request for several keys.
    func message(spc: [UInt8], other: [UInt8]) -> [UInt8] {
        let base64 = Base64.encode(spc)
        var text = body.replacing("{{other-spc-base64}}", with: Base64.encode(other))
            .replacing("{{spc-base64-escaped}}", with: PercentEncoding.encode(base64))
            .replacing("{{spc-base64url}}", with: base64.replacing("+", with: "-").replacing("/", with: "_"))
            .replacing("{{spc-base64}}", with: base64)
        if text.hasPrefix("--") { text = text.replacing("\n", with: "\r\n") + "\r\n" }
        let content = text == "{{spc}}" ? spc : Array(text.utf8)
        let lines = head + ["Content-Length: \(content.count)", "Connection: close", "", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + content
    }

    /// Returns the CKC in the body of a response, as the client takes it.
    func ckc(in response: [UInt8]) throws -> [UInt8] {
        guard let reading else { throw Malformed() }
        let text = String(decoding: response, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        switch reading {
        case .octets: return response
        case .base64: return try Self.decode(text)
        case .json(let path):
            var value = try JSONValue(parsing: response)
            for name in path {
                let next = Int(name).flatMap { index in value.items.map { $0[index] } } ?? value[name]
                guard let next else { throw Malformed() }
                value = next
            }
            return try Self.decode(value.text ?? "")
        case .shaka, .dash:
            if text.hasPrefix("<ckc>"), text.hasSuffix("</ckc>") {
                return try Self.decode(String(text.dropFirst(5).dropLast(6)))
            }
            if let ckc = (try? JSONValue(parsing: response))?["ckc"]?.text { return try Self.decode(ckc) }
            if case .dash = reading, let ckc = try? Self.decode(text) { return ckc }
            return response
        }
    }

    /// Decodes base64 as strictly as `atob` and `Data(base64Encoded:)`.
    private static func decode(_ text: String) throws -> [UInt8] {
        guard !text.isEmpty, let data = Data(base64Encoded: text) else { throw Malformed() }
        return [UInt8](data)
    }
}
