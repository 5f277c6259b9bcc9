import FPSMessages
import TextCoding

/// The JSON form of a field: its schema, and how a value is parsed, printed and checked.
struct PolicyForm<Value: Sendable>: Sendable {
    /// The values as text, with code in backticks.
    let values: String
    /// The JSON Schema of a value, with examples and without a description.
    let schema: JSONObject
    /// The parts of a value that are fields themselves, such as `persist.storage`.
    var members: [PolicyMember] = []
    /// Parses a value; the text is the place of the value, for errors. Nil: the value means the same as a missing
    /// field.
    let parse: @Sendable (JSONValue, String) throws(PolicyError) -> Value?
    /// Returns a value as JSON.
    let print: @Sendable (Value) -> JSONValue
    /// Returns why a value of the right type is not valid, or nil. Nil: every value is valid.
    var check: (@Sendable (Value) -> String?)?
    /// Returns why a value that is valid after a merge is not valid in a document, or nil.
    var checkInDocument: (@Sendable (Value) -> String?)?
}

/// A part of a field's value that is itself a field.
package struct PolicyMember: Sendable {
    /// The name in the JSON object.
    package let name: String
    /// The values as text, with code in backticks.
    package let values: String
    /// The meaning, in one sentence.
    package let summary: String
    /// The JSON Schema without a description.
    let schema: JSONObject
}

extension PolicyForm {
    /// Creates the form of a scalar.
    ///
    /// - Parameters:
    ///   - expected: The expected value as text, for errors.
    ///   - parse: Returns a value, or nil if the JSON does not contain one.
    init(
        _ values: String,
        expected: String,
        schema: JSONObject,
        parse: @escaping @Sendable (JSONValue) -> Value?,
        print: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.init(
            values: values,
            schema: schema,
            parse: { json, place throws(PolicyError) in
                guard let value = parse(json) else {
                    throw PolicyError(.invalidValue, field: place, reason: "expected \(expected)")
                }
                return value
            },
            print: print
        )
    }
}

extension PolicyForm<String> {
    /// The name of a policy.
    static var name: Self {
        var form = Self(
            "1 to 64 of `a-z 0-9 - _ .`",
            expected: "a name in quotation marks",
            schema: [
                "type": .string("string"), "pattern": .string("^[a-z0-9._-]{1,64}$"),
                "examples": .array([.string("premium")]),
            ],
            parse: { $0.text },
            print: { .string($0) }
        )
        form.checkInDocument = { name in
            LicensePolicy.isValidName(name) ? nil : "expected 1 to 64 lowercase letters, digits, '-', '_' or '.'"
        }
        return form
    }
}

extension PolicyForm<Seconds> {
    /// A duration, which can be zero.
    static var duration: Self {
        Self(
            "duration",
            expected: "an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT10M or P2D",
            schema: [
                "type": .string("string"),
                "pattern": .string("^P([0-9]+W)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$"),
                "examples": .array([.string("PT10M"), .string("P2D")]),
            ],
            parse: { $0.text.flatMap(Seconds.init(iso8601:)) },
            print: { .string($0.description) }
        )
    }

    /// A duration that cannot be zero, because zero would mean no limit.
    static var limit: Self {
        var form = duration
        form.check = { $0.rawValue == 0 ? "zero would mean no limit: remove the field" : nil }
        return form
    }
}

extension PolicyForm<Bool> {
    /// True or false.
    static var flag: Self {
        Self(
            "`true`, `false`",
            expected: "true or false",
            schema: ["type": .string("boolean"), "examples": .array([.bool(true)])],
            parse: { if case .bool(let flag) = $0 { flag } else { nil } },
            print: { .bool($0) }
        )
    }
}

extension PolicyForm where Value: FixedWidthInteger {
    /// A number in a range.
    static func number(_ range: ClosedRange<Value>, example: Value) -> Self {
        let isEveryValue = range == Value.min...Value.max
        let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
        var form = Self(
            isEveryValue ? "number" : "\(range.lowerBound) to \(range.upperBound)",
            expected: expected,
            schema: [
                "type": .string("integer"), "minimum": .integer(Int(range.lowerBound)),
                "maximum": .integer(Int(range.upperBound)), "examples": .array([.integer(Int(example))]),
            ],
            parse: { json in
                // 2.0 is an integer in JSON Schema too.
                if case .number(let number) = json {
                    Value(exactly: number)
                } else {
                    json.wholeNumber.flatMap(Value.init(exactly:))
                }
            },
            print: { .integer(Int($0)) }
        )
        if !isEveryValue { form.check = { range.contains($0) ? nil : "expected \(expected)" } }
        return form
    }
}

extension PolicyForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of several words. A synonym is parsed like its value, and never printed.
    static func choice(synonyms: KeyValuePairs<String, Value> = [:]) -> Self {
        let names = Value.allCases.map(\.rawValue)
        let others = synonyms.map { ($0.key, $0.value.rawValue) }
        let note = others.isEmpty ? "" : " (" + others.map { "`\($0)` means `\($1)`" }.joined(separator: ", ") + ")"
        return Self(
            names.map { "`\($0)`" }.joined(separator: ", ") + note,
            expected: "one of " + names.joined(separator: ", "),
            schema: ["type": .string("string"), "enum": .array((names + others.map(\.0)).map { .string($0) })],
            parse: { json in
                guard let text = json.text else { return nil }
                return Value(rawValue: others.first { $0.0 == text }?.1 ?? text)
            },
            print: { .string($0.rawValue) }
        )
    }
}

extension PolicyForm {
    /// A list of texts. An empty list in a document means the same as a missing one.
    static func list<Element: RawRepresentable<String> & Sendable>(
        _ values: String,
        of expected: String,
        examples: [String],
        maximumCount: Int = 100
    ) -> Self where Value == [Element] {
        var form = Self(
            values: "up to \(maximumCount) \(values)",
            schema: [
                "type": .string("array"), "items": .object(["type": .string("string")]),
                "maxItems": .integer(maximumCount), "examples": .array([.array(examples.map { .string($0) })]),
            ],
            parse: { json, place throws(PolicyError) in
                guard let items = json.items else {
                    throw PolicyError(.invalidValue, field: place, reason: "expected a list, such as \(examples)")
                }
                var elements: [Element] = []
                for (index, item) in items.enumerated() {
                    guard let element = item.text.flatMap(Element.init(rawValue:)) else {
                        throw PolicyError(.invalidValue, field: "\(place).\(index)", reason: "expected \(expected)")
                    }
                    elements.append(element)
                }
                return elements.isEmpty ? nil : elements
            },
            // An empty list would be parsed as no restriction. An empty list, which only a merge can produce, is
            // therefore written as an entry that the parser rejects.
            print: { .array($0.isEmpty ? [.string("none")] : $0.map { .string($0.rawValue) }) }
        )
        form.checkInDocument = { $0.count > maximumCount ? "expected at most \(maximumCount) entries" : nil }
        return form
    }
}

extension PolicyForm<[LicensePolicy.AppleDevice: OSVersion]> {
    /// A version for each class of device.
    static var versions: Self {
        let devices = LicensePolicy.AppleDevice.allCases
        let version: JSONObject = [
            "type": .string("string"), "pattern": .string(#"^[0-9]+(\.[0-9]+){0,2}$"#),
        ]
        return Self(
            values: "a version for each of " + devices.map { "`\($0.rawValue)`" }.joined(separator: ", "),
            schema: [
                "type": .string("object"), "additionalProperties": .bool(false),
                "properties": .object(JSONObject(devices.map { ($0.rawValue, .object(version)) })),
                "examples": .array([.object(["appleMobile": .string("15.0.0")])]),
            ],
            parse: { json, place throws(PolicyError) in
                guard case .object(let members) = json else {
                    throw PolicyError(
                        .invalidValue,
                        field: place,
                        reason: #"expected an object, such as {"appleMobile": "15.0.0"}"#
                    )
                }
                try members.requireNames(devices.map(\.rawValue), place)
                var versions: Value = [:]
                for member in members {
                    guard let version = member.value.text.flatMap(OSVersion.init(_:)) else {
                        throw PolicyError(
                            .invalidValue,
                            field: "\(place).\(member.key)",
                            reason: "expected a version such as 15.0.0"
                        )
                    }
                    versions[LicensePolicy.AppleDevice(rawValue: member.key) ?? .appleMobile] = version
                }
                return versions
            },
            print: { versions in .object(JSONObject(versions.map { ($0.key.rawValue, .string($0.value.description)) }))
            }
        )
    }
}
