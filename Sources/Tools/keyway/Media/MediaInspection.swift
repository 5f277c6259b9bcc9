import ByteCoding
import Foundation
import MediaFormats
import Packager
import TextCoding
import ToolSupport

/// The result of `keyway media inspect`: a listing of the file's structure, and tables of its content.
struct MediaInspection {
    /// `mp4`, `mpeg-ts`, `packed-audio`, `webvtt`.
    let kind: String
    /// A summary on one line, which follows the file's name.
    var headline: String
    /// The structure of the file, as text and as JSON; nil if only tables are shown.
    var listing: (lines: [String], key: String, json: JSONValue)?
    /// The tables of properties.
    var tables: [FieldTable] = []
    /// The lists of items.
    var grids: [Grid] = []
    /// Notes about unusual properties.
    var notes: [String] = []
    /// The reason why the file could not be read completely.
    var problem: String?

    init(kind: String, headline: String) {
        self.kind = kind
        self.headline = headline
    }

    /// Returns the result as text.
    func text(name: String, _ renderer: TextRenderer) -> String {
        var lines = [renderer.style.bold(escaped(name)) + ": \(escaped(headline))"]
        if let listing { lines += [""] + listing.lines }
        for grid in grids where !grid.rows.isEmpty { lines += [""] + grid.lines(renderer) }
        for table in tables { lines += [""] + renderer.lines(table) }
        if !notes.isEmpty { lines += ["", renderer.style.bold("Notes")] + notes.map { "  - \(escaped($0))" } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the result as JSON.
    func json(name: String) -> JSONValue {
        let renderer = JSONRenderer()
        var members: [JSONObject.Member] = [
            .init(key: "file", value: .string(name)), .init(key: "kind", value: .string(kind)),
        ]
        if let listing { members.append(.init(key: listing.key, value: listing.json)) }
        members += grids.map { .init(key: Field.key(for: $0.title), value: $0.json(renderer)) }
        // Tracks are an array; the key of every other table is derived from its title.
        let tracks = tables.filter { $0.title.hasPrefix("Track ") }
        if kind == "mp4" { members.append(.init(key: "tracks", value: .array(tracks.map(renderer.json)))) }
        for table in tables where !table.title.hasPrefix("Track ") {
            members.append(.init(key: Field.key(for: table.title), value: renderer.json(table)))
        }
        members.append(.init(key: "notes", value: .array(notes.map { .string($0) })))
        if let problem { members.append(.init(key: "problem", value: .string(problem))) }
        return .object(JSONObject(members))
    }
}

/// Formatting of numbers for output.
enum MediaFormatting {
    /// Returns a duration as text: `0.5 s`, `12.480 s`, `1:02:03.500`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e9 else { return "unlimited" }
        guard seconds >= 60 else { return String(format: "%.3f s", seconds) }
        let whole = Int(seconds)
        let rest = String(format: "%06.3f", seconds - Double(whole / 60 * 60))
        return whole < 3600
            ? "\(whole / 60):\(rest)" : "\(whole / 3600):\(String(format: "%02d", whole / 60 % 60)):\(rest)"
    }

    /// Returns seconds, rounded to milliseconds.
    static func seconds(_ seconds: Double) -> FieldValue { .decimal((seconds * 1000).rounded() / 1000, unit: "s") }

    /// Returns a size as text: `831 bytes`, `12.5 kB`, `1.0 GB`.
    static func size(_ bytes: Int) -> String {
        for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e4)] where Double(bytes) >= size {
            return String(format: "%.1f \(unit)", Double(bytes) / (unit == "kB" ? 1e3 : size))
        }
        return counted(bytes, "byte")
    }

    /// Returns the bit rate, in bits per second; nil if there are no bytes or no duration.
    static func rate(bytes: Int, seconds: Double) -> FieldValue? {
        let rate = (Double(bytes) * 8 / seconds).rounded()
        guard seconds > 0, bytes > 0, rate < 1e15 else { return nil }
        return .number(Int(rate), unit: "bit/s")
    }
}
