import FPSCrypto
import TextCoding

/// A renderer of reports as JSON. Bytes are lowercase hexadecimal, times are ISO 8601 in UTC, durations are in seconds;
/// a hidden secret is `{"bytes": 16, "hidden": true}`.
struct JSONRenderer {
    /// True if to include secrets.
    var reveal = false

    /// Returns the whole report, including its problem.
    func json(_ report: Report) -> JSONValue {
        var members = [JSONObject.Member(key: "kind", value: .string(report.kind))]
        members += report.tables.map { .init(key: Field.key(for: $0.title), value: json($0)) }
        members.append(.init(key: "notes", value: .array(report.notes.map { .string($0) })))
        if let problem = report.problem {
            let value = JSONValue.object([
                "stage": .string(problem.stage), "code": .string(problem.code), "reason": .string(problem.reason),
            ])
            members.append(.init(key: "problem", value: value))
        }
        return .object(JSONObject(members))
    }

    /// Returns a table as an object of its fields, with the nested tables in `blocks`.
    func json(_ table: FieldTable) -> JSONValue {
        var members = (table.heading + table.fields).map { JSONObject.Member(key: $0.key, value: json($0.value)) }
        if let blocks = table.blocks {
            members.append(.init(key: "blocks", value: .array(blocks.map(json))))
        }
        return .object(JSONObject(members))
    }

    /// Returns a value.
    func json(_ value: FieldValue) -> JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .quantity(let number, _): .integer(Int(number))
        case .decimal(let number, _): .number(number)
        case .uri(let uri): .string(reveal ? uri : PlaylistText.redacted(uri))
        case .items(let items):
            .array(
                items.map { fields in
                    .object(JSONObject(fields.map { JSONObject.Member(key: $0.key, value: json($0.value)) }))
                }
            )
        case .seconds(let seconds, _): .integer(Int(seconds))
        case .time(let seconds): .string(Timestamp.text(seconds: seconds))
        case .bytes(let bytes), .opaque(let bytes): .string(Hexadecimal.encode(bytes))
        case .named(let name, let number):
            .object(["name": name.map { .string($0) } ?? .null, "value": json(number)])
        case .list(let items): .array(items.map { .string($0) })
        case .flag(let flag): .bool(flag)
        case .secret(let secret) where reveal: .string(Hexadecimal.encode(secret.reveal()))
        case .secret(let secret): .object(["bytes": .integer(Int(secret.count)), "hidden": .bool(true)])
        }
    }

    private func json(_ number: FieldValue.Number) -> JSONValue {
        switch number {
        case .decimal(let value): .integer(Int(clamping: value))
        case .hexadecimal(let value, let digits): .string(Hexadecimal.encode(value, digits: digits))
        }
    }
}
