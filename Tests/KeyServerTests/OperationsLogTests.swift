import Foundation
import Logging
import Testing

@testable import KeyServer

@Suite("Log lines")
struct OperationsLogTests {
    /// Returns the output of a handler, which writes to a pipe.
    private func lines(_ format: LogFormat, level: Logger.Level = .trace, _ log: (Logger) -> Void) -> String {
        let pipe = Pipe()
        let file = pipe.fileHandleForWriting.fileDescriptor
        let logger = Logger(label: "test") { label in
            LineLogHandler(label: label, format: format, level: level, file: file, clock: { 1_767_225_600_042 })
        }
        log(logger)
        pipe.fileHandleForWriting.closeFile()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("JSON: time, level, label, message and metadata, in one line")
    func json() {
        let text = lines(.json) { $0.info("hello", metadata: ["b": "2", "a": ["x", "y"], "c": ["k": "v"]]) }
        #expect(
            text == #"{"time":"2026-01-01T00:00:00.042Z","level":"info","label":"test","message":"hello","#
                + #""metadata":{"a":["x","y"],"b":"2","c":{"k":"v"}}}"# + "\n"
        )
    }

    @Test("Text format")
    func text() {
        let text = lines(.text) { $0.warning("hello", metadata: ["b": "2", "a": "1\n2"]) }
        #expect(text == "2026-01-01T00:00:00.042Z warning test: hello a=1\\u000a2 b=2\n")
    }

    /// Control characters, and the line separators of Unicode.
    private func endsLines(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
    }

    @Test("Input can end neither a line nor a string, and is preserved")
    func escaping() throws {
        let scalars = (0..<0x300).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{2029}", "\u{FFFF}", "\u{1F511}"]
        let nasty = scalars.map { String($0) }.joined() + #"\n","level":"x"}"#
        let text = lines(.json) { $0.error("\(nasty)", metadata: [nasty: "\(nasty)"]) }
        #expect(text.hasSuffix("}\n"))
        #expect(!text.unicodeScalars.dropLast().contains(where: endsLines))
        let line = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect((line["message"] as? String).map { Array($0.unicodeScalars) } == Array(nasty.unicodeScalars))
        #expect((line["metadata"] as? [String: String])?.values.first.map { Array($0.utf8) } == Array(nasty.utf8))
        let plain = lines(.text) { $0.error("\(nasty)") }
        #expect(plain.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
    }

    // Text without characters to escape is copied unchanged. Every other scalar must be recognized.
    @Test("A scalar is escaped in the same way between letters", arguments: [UInt32](0..<0x100) + [0x2028, 0x2029])
    func escapingAlone(_ value: UInt32) throws {
        let text = "a\(try #require(Unicode.Scalar(value)))b"
        let json = lines(.json) { $0.error("\(text)", metadata: [text: "\(text)"]) }
        #expect(json.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        #expect(!json.unicodeScalars.dropLast().contains(where: endsLines))
        let line = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect((line["message"] as? String).map { Array($0.utf8) } == Array(text.utf8))
        let (key, entry) = try #require((line["metadata"] as? [String: String])?.first)
        #expect(Array(key.utf8) == Array(text.utf8) && Array(entry.utf8) == Array(text.utf8))
        let plain = lines(.text) { $0.error("\(text)") }
        #expect(!plain.unicodeScalars.dropLast().contains(where: endsLines))
        #expect(plain.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
    }

    @Test("Messages below the level are omitted, and of an error only the type is logged")
    func levels() {
        let text = lines(.json, level: .warning) {
            $0.info("quiet")
            $0.warning("loud", error: Fault())
        }
        #expect(!text.contains("quiet"))
        #expect(text.contains(#""errorType":"Fault""#))
        #expect(!text.contains("movie-7"))
    }

    @Test("Times are in RFC 3339 format, also long before 1970 and long after")
    func times() {
        #expect(LogLine.time(0) == "1970-01-01T00:00:00.000Z")
        #expect(LogLine.time(-1) == "1969-12-31T23:59:59.999Z")
        #expect(LogLine.time(951_782_399_999) == "2000-02-28T23:59:59.999Z")
        #expect(LogLine.time(951_782_400_000) == "2000-02-29T00:00:00.000Z")
    }
}
