import HLSPlaylist
import TextCoding
import ToolSupport

/// A playlist with its mechanical corrections.
struct FixedPlaylist {
    let name: String
    let fixes: [PlaylistFix]
    /// The corrected playlist.
    let bytes: [UInt8]
    /// The errors and warnings that remain.
    let remaining: [Diagnostic]
    private let original: [UInt8]

    /// - Throws: A failure of kind `input` for input that is not a playlist or exceeds a limit.
    init(_ original: [UInt8], name: String, _ options: ParsingOptions) throws(CommandFailure) {
        self.name = name
        self.original = original
        do {
            fixes = try Playlist.fixes(for: original, options: options)
            bytes = Playlist.applying(fixes, to: original)
            let file = try LintFile(name: name, bytes: bytes, options: options)
            remaining = Linter().check(file).filter { $0.severity > .note }
        } catch {
            throw .input("\(name): \(error)")
        }
        if remaining.contains(where: { $0.rule == .missingExtM3U }) {
            throw .input(
                "\(name) is \(FileKind(Array(original.prefix(4096))).description), not a playlist",
                next: "a playlist begins with #EXTM3U"
            )
        }
    }

    /// The lines about the corrections and about what remains. Line numbers of corrections are those of the original.
    var report: [String] {
        let name = PlaylistText.printable(name)
        var lines = fixes.map { "corrected: \(name):\($0.line):\($0.column): \(PlaylistText.message($0.message))" }
        if fixes.isEmpty { lines.append("\(name): nothing to correct") }
        for diagnostic in remaining where diagnostic.severity == .error {
            let place = diagnostic.line > 0 ? ":\(diagnostic.line)" : ""
            lines.append(
                "remaining: \(name)\(place): \(PlaylistText.message(diagnostic.message)) [\(diagnostic.rule)]"
            )
        }
        let warnings = remaining.count { $0.severity == .warning }
        if warnings > 0 { lines.append("\(counted(warnings, "warning")): run keyway playlist check to see them") }
        return lines
    }

    var json: JSONValue {
        .object([
            "file": .string(name),
            "fixes": .array(fixes.map(\.json)),
            "remaining": .array(
                remaining.map { diagnostic in
                    .object([
                        "rule": .string(diagnostic.rule.rawValue),
                        "severity": .string(diagnostic.severity.rawValue),
                        "line": .integer(diagnostic.line), "column": .integer(diagnostic.column),
                        "message": .string(PlaylistText.message(diagnostic.message)),
                    ])
                }
            ),
        ])
    }

    /// The corrections as a unified diff, which `patch` applies; empty without corrections.
    var diff: [UInt8] {
        guard !fixes.isEmpty else { return [] }
        let old = Self.lines(original)
        let changes = Dictionary(grouping: fixes, by: \.line)
        var text = Array("--- \(name)\n+++ \(name)\n".utf8)
        // The difference between the numbers of new and old lines before the hunk.
        var shift = 0
        var rest = changes.keys.sorted()[...]
        while let first = rest.first {
            var last = first
            rest.removeFirst()
            while let next = rest.first, next - last <= 6 {
                last = next
                rest.removeFirst()
            }
            let range = max(1, first - 3)...max(1, min(old.count, last + 3))
            var body: [UInt8] = []
            var count = 0
            for number in range {
                let line = number <= old.count ? old[number - 1] : []
                guard let fixes = changes[number] else {
                    body += Self.marked(" ", line)
                    count += 1
                    continue
                }
                let new = Self.lines(Playlist.applying(fixes.map { $0.moved(toLine: 1) }, to: line))
                // An inserted line leaves the original one.
                if new.last == line {
                    for added in new.dropLast() { body += Self.marked("+", added) }
                    body += Self.marked(" ", line)
                } else {
                    body += Self.marked("-", line)
                    for added in new { body += Self.marked("+", added) }
                }
                count += new.count
            }
            let heading = "@@ -\(range.lowerBound),\(range.count) +\(range.lowerBound + shift),\(count) @@\n"
            text += Array(heading.utf8) + body
            shift += count - range.count
        }
        return text
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            lines.append(Array(rest[..<end]))
            rest = rest[end...]
        }
        return lines
    }

    private static func marked(_ mark: String, _ line: [UInt8]) -> [UInt8] {
        Array(mark.utf8) + line + (line.last == 0x0A ? [] : Array("\n\\ No newline at end of file\n".utf8))
    }
}

extension PlaylistFix {
    /// The fix as JSON.
    var json: JSONValue {
        .object([
            "line": .integer(line), "column": .integer(column), "endColumn": .integer(endColumn),
            "replacement": .string(replacement), "message": .string(PlaylistText.message(message)),
        ])
    }
}
