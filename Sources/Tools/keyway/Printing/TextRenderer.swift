import FPSCrypto
import Foundation
import TextCoding
import ToolSupport

/// A renderer of reports as text: aligned and indented, with a blank line between tables.
struct TextRenderer {
    /// True if to show secrets.
    var reveal = false
    /// True if to print bold titles and colored results.
    var style = Style.plain

    /// The number of bytes of hexadecimal on a line.
    private static let bytesPerLine = 32
    /// The number of bytes of a ciphertext that are shown.
    private static let opaqueBytes = 8

    /// Returns the whole report, except its problem, which is printed to standard error.
    func text(_ report: Report) -> String {
        var lines = [report.headline]
        for table in report.tables {
            lines.append("")
            lines += self.lines(table)
        }
        if !report.notes.isEmpty {
            lines += ["", style.bold("Notes")]
            lines += report.notes.map { "  - \(escaped($0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the lines of a table.
    func lines(_ table: FieldTable) -> [String] {
        let remark = table.remark.map { "  \($0)" } ?? ""
        var lines = [style.bold(table.title) + remark]
        lines += self.lines(table.fields).map { "  \($0)" }
        for block in table.blocks ?? [] {
            lines += self.lines(block).map { "  \($0)" }
        }
        return lines
    }

    /// Returns the lines of fields, with names and values in columns.
    func lines(_ fields: [Field]) -> [String] {
        let width = (fields.map(\.name.count).max() ?? 0) + 2
        let gap = String(repeating: " ", count: width)
        return fields.flatMap { field in
            let value = values(field.value)
            let name = field.name + String(repeating: " ", count: width - field.name.count)
            return [name + (value.first ?? "")] + value.dropFirst().map { gap + $0 }
        }
    }

    /// Returns a value on one line.
    func line(_ value: FieldValue) -> String { values(value).joined(separator: "; ") }

    /// Returns a value on one line, or on several lines for many bytes.
    private func values(_ value: FieldValue) -> [String] {
        switch value {
        case .text(let text): [escaped(text)]
        case .quantity(let number, let unit): [unit.map { "\(number) \($0)" } ?? "\(number)"]
        case .decimal(let number, let unit): [shortNumber(number) + (unit.map { " \($0)" } ?? "")]
        case .uri(let uri): [PlaylistText.printable(reveal ? uri : PlaylistText.redacted(uri))]
        case .items(let items): items.map { $0.map { line($0.value) }.joined(separator: " ") }
        case .seconds(let seconds, let meaning): ["\(seconds) s" + (meaning.map { " (\($0))" } ?? "")]
        case .time(let seconds): [Timestamp.text(seconds: seconds)]
        case .bytes(let bytes): hexadecimalLines(bytes)
        case .opaque(let bytes) where bytes.count <= Self.opaqueBytes: hexadecimalLines(bytes)
        case .opaque(let bytes):
            ["\(counted(bytes.count, "byte")), \(Hexadecimal.encode(bytes.prefix(Self.opaqueBytes)))..."]
        case .named(let name, let number): [name.map { "\($0) (\(text(number)))" } ?? "\(text(number)), unknown"]
        case .list(let items): [items.isEmpty ? "none" : items.map(escaped).joined(separator: ", ")]
        case .flag(let flag): [flag ? "yes" : "no"]
        case .secret(let secret):
            reveal ? hexadecimalLines(secret.reveal()) : ["\(counted(secret.count, "byte")), hidden"]
        }
    }

    private func text(_ number: FieldValue.Number) -> String {
        switch number {
        case .decimal(let value): "\(value)"
        case .hexadecimal(let value, let digits): "0x" + Hexadecimal.encode(value, digits: digits)
        }
    }

    private func hexadecimalLines(_ bytes: [UInt8]) -> [String] {
        guard !bytes.isEmpty else { return ["empty"] }
        return stride(from: 0, to: bytes.count, by: Self.bytesPerLine).map { start in
            Hexadecimal.encode(bytes[start..<min(start + Self.bytesPerLine, bytes.count)])
        }
    }
}
