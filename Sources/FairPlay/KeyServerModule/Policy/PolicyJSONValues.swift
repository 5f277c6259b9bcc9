#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The JSON format of the values of a policy's fields.

extension LicensePolicy.Persistence: Codable {
    /// Decodes one of the three forms.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: AnyKey.self)
        func duration(_ field: String) throws -> Seconds? {
            try fields.decodeIfPresent(String.self, forKey: AnyKey(field)).map {
                try Seconds(json: $0, field: "persist.\(field)")
            }
        }
        let names = Set(fields.allKeys.map(\.stringValue))
        switch names {
        case []:
            self = .unlimited
        case ["validity"]:
            guard let validity = try duration("validity") else { fallthrough }
            self = .limited(validity)
        case ["storage", "playback"], ["storage", "playback", "fallback"]:
            guard let storage = try duration("storage"), let playback = try duration("playback") else { fallthrough }
            self = .dual(storage: storage, playback: playback, fallback: try duration("fallback"))
        default:
            throw PolicyError(
                .invalidValue,
                field: "persist",
                reason:
                    "expected {}, {\"validity\"}, {\"storage\", \"playback\"} or "
                    + "{\"storage\", \"playback\", \"fallback\"}, found {" + names.sorted().joined(separator: ", ")
                    + "}"
            )
        }
    }

    /// Encodes the form for the case.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: AnyKey.self)
        switch self {
        case .unlimited: break
        case .limited(let validity):
            try fields.encode(validity.description, forKey: AnyKey("validity"))
        case .dual(let storage, let playback, let fallback):
            try fields.encode(storage.description, forKey: AnyKey("storage"))
            try fields.encode(playback.description, forKey: AnyKey("playback"))
            try fields.encodeIfPresent(fallback?.description, forKey: AnyKey("fallback"))
        }
    }
}

/// The JSON value of a rule: the value itself, or `{"value": VALUE, "requireReport": BOOL}`. Without a value the rule
/// has its default.
struct PolicyRule<Value> {
    var value: Value?
    var requiresReport = false

    init(value: Value?, requiresReport: Bool) {
        self.value = value
        self.requiresReport = requiresReport
    }
}

extension PolicyRule: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws {
        guard let fields = try? decoder.container(keyedBy: AnyKey.self),
            fields.contains(AnyKey("requireReport")) || fields.contains(AnyKey("value"))
        else {
            value = try Value(from: decoder)
            return
        }
        if let unknown = fields.allKeys.map(\.stringValue).filter({ !["value", "requireReport"].contains($0) }).min() {
            let field = (decoder.codingPath.map(\.stringValue) + [unknown]).joined(separator: ".")
            throw PolicyError(.unknownField, field: field, reason: "expected value or requireReport")
        }
        value = try fields.decodeIfPresent(Value.self, forKey: AnyKey("value"))
        requiresReport = try fields.decodeIfPresent(Bool.self, forKey: AnyKey("requireReport")) ?? false
    }
}

extension PolicyRule: Encodable where Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: AnyKey.self)
        try fields.encodeIfPresent(value, forKey: AnyKey("value"))
        try fields.encode(requiresReport, forKey: AnyKey("requireReport"))
    }
}

/// A coding key with any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Seconds {
    init(json text: String, field: String) throws(PolicyError) {
        guard let seconds = Seconds(iso8601: text) else {
            throw PolicyError(
                .invalidValue,
                field: field,
                reason:
                    "expected an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT10M or P2D"
            )
        }
        self = seconds
    }
}

extension PolicyError {
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(
                path.isEmpty ? .notAnObject : .invalidValue,
                field: path,
                reason: "the value has the wrong type"
            )
        case .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(
                path.isEmpty ? .notAnObject : .invalidValue,
                field: path,
                reason: path.isEmpty ? "the document is not valid JSON" : "the value is out of range"
            )
        @unknown default:
            self.init(.notAnObject, field: "", reason: "the document is not valid JSON")
        }
    }
}
