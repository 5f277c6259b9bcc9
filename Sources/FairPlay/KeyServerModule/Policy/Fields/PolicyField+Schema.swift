package import TextCoding

extension LicensePolicy {
    /// The JSON Schema of a policy document, for the OpenAPI document.
    package static var openAPISchema: JSONValue {
        .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "description": .string("docs/policy.md describes which fields conflict, and the merge of policies."),
            "properties": .object(JSONObject(PolicyField.all.map { (key: $0.name, value: $0.schema) })),
            "examples": .array([
                .object([
                    "lease": .string("PT10M"), "hdcp": .string("type1"), "securityLevel": .string("main"),
                ])
            ]),
        ])
    }
}

extension PolicyField {
    /// The JSON Schema of the value, with a description.
    fileprivate var schema: JSONValue {
        var value = schemaOfValue
        if !members.isEmpty {
            let properties = members.map { (key: $0.name, value: $0.schema.described($0.summary)) }
            value = value.adding("properties", .object(JSONObject(properties)))
        }
        let description = "\(summary) If missing: \(ifMissing)."
        guard report != nil else { return value.described(description) }
        let rule: JSONObject = [
            "type": .string("object"), "additionalProperties": .bool(false), "minProperties": .integer(1),
            "properties": .object([
                "value": .object(value),
                "requireReport": JSONObject(["type": .string("boolean")])
                    .described("True if an SPC must contain the report that the rule depends on."),
            ]),
        ]
        return JSONObject(["anyOf": .array([.object(value), .object(rule)])]).described(description)
    }
}

extension JSONObject {
    /// Returns the schema with a description, in which code has no backticks.
    fileprivate func described(_ text: String) -> JSONValue {
        .object(adding("description", .string(text.filter { $0 != "`" })))
    }

    fileprivate func adding(_ name: String, _ value: JSONValue) -> JSONObject {
        JSONObject(map { $0 } + [Member(key: name, value: value)])
    }
}
