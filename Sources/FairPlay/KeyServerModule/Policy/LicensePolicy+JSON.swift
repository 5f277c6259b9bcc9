import TextCoding

// A policy in JSON is an object with one member for each field that is set; ``PolicyField`` has the forms of the
// values. An unknown name, and null, are errors. The value of a rule that depends on a report of the SPC has a second
// form, {"value": VALUE, "requireReport": BOOL}.

extension LicensePolicy {
    /// Parses and validates a policy.
    ///
    /// - Parameters:
    ///   - json: a JSON object in UTF-8.
    ///   - track: the type of track that the policy is intended for, if known.
    /// - Throws: ``PolicyError`` for the first error found.
    public init(json: some Collection<UInt8>, for track: TrackKind = .unspecified) throws(PolicyError) {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: Array(json))
        } catch {
            throw PolicyError(.notAnObject, field: "", reason: "the document is not valid JSON: \(error)")
        }
        guard case .object(let members) = document else {
            throw PolicyError(.notAnObject, field: "", reason: "expected a JSON object")
        }
        try members.requireNames(PolicyField.all.map(\.name), "")
        self.init()
        for field in PolicyField.all {
            if let value = members[field.name] { try field.read(value, into: &self) }
        }
        try validate(for: track)
    }

    /// The policy as JSON, with its fields in alphabetical order.
    public var json: [UInt8] {
        var members = PolicyField.all.map { (key: $0.name, value: $0.document(in: self)) }
        members.append(("onlineLimit", onlineLimit.map { .string($0.description) }))
        return JSONValue.object(JSONObject(members)).encoded(sortingNames: true)
    }
}

extension PolicyField {
    /// Parses the value in a document, with the requirement of a report if there is one.
    func read(_ json: JSONValue, into policy: inout LicensePolicy) throws(PolicyError) {
        guard let report, case .object(let form) = json, form["value"] != nil || form["requireReport"] != nil else {
            return try parse(&policy, json, name)
        }
        try form.requireNames(["value", "requireReport"], name)
        if let required = form["requireReport"] {
            let isRequired = try PolicyForm.flag.parse(required, "\(name).requireReport")
            if isRequired == true { policy.requiredReports.insert(report.rule) }
        }
        if let value = form["value"] { try parse(&policy, value, "\(name).value") }
    }

    /// Returns the value for a document; nil if the field is missing.
    func document(in policy: LicensePolicy) -> JSONValue? {
        guard let report, policy.requiredReports.contains(report.rule) else { return print(policy) }
        return .object(["value": print(policy), "requireReport": .bool(true)])
    }
}

extension JSONObject {
    /// Checks that every name is known.
    ///
    /// - Throws: ``PolicyError`` with `unknown-field`, with the place of the name and the nearest known name.
    func requireNames(_ known: [String], _ place: String) throws(PolicyError) {
        guard let unknown = keys.first(where: { !known.contains($0) }) else { return }
        let near = Spelling.nearest(unknown, in: known).map { "did you mean \($0)?" }
        throw PolicyError(
            .unknownField,
            field: place.isEmpty ? unknown : "\(place).\(unknown)",
            reason: "unknown field; " + (near ?? "expected one of " + known.joined(separator: ", "))
        )
    }
}
