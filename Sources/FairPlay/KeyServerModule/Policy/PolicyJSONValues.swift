#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// How the values of a policy's fields stand in JSON.

extension LicensePolicy.Persistence: Codable {
    /// Reads one of the three forms.
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
                    "{}, {\"validity\"}, {\"storage\", \"playback\"} or {\"storage\", \"playback\", \"fallback\"} is "
                    + "expected, found {" + names.sorted().joined(separator: ", ") + "}"
            )
        }
    }

    /// Writes the form that fits.
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

/// The value of a rule: as it is, or as `{"value": VALUE, "requireReport": BOOL}`. Without a value the rule has its default.
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
            throw PolicyError(.unknownField, field: field, reason: "value and requireReport are expected here")
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

/// A field of any name.
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
                    "an ISO 8601 duration of weeks, days, hours, minutes and seconds is expected, such as PT10M or P2D"
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
                reason: "a value of another type is expected"
            )
        case .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(
                path.isEmpty ? .notAnObject : .invalidValue,
                field: path,
                reason: path.isEmpty ? "not readable as JSON" : "a value out of range"
            )
        @unknown default:
            self.init(.notAnObject, field: "", reason: "not readable as JSON")
        }
    }
}
