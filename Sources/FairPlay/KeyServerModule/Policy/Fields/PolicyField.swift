import TextCoding

/// A field of a policy: a row of the table ``all``, from which parsing, printing, merging, loosening, validation, and
/// the descriptions in the documentation, the OpenAPI document, the dashboard and the commands follow.
package struct PolicyField: Sendable {
    /// The name in JSON, which is also the name of the property.
    package let name: String
    /// The values as text, with code in backticks.
    package let values: String
    /// The meaning in one or two sentences, with code in backticks.
    package let summary: String
    /// The effect if the field is missing, with code in backticks.
    package let ifMissing: String
    /// The value after a merge, with code in backticks.
    package let merged: String
    /// The parts of the value that are fields themselves.
    package let members: [PolicyMember]
    let schemaOfValue: JSONObject

    let parse: @Sendable (inout LicensePolicy, JSONValue, String) throws(PolicyError) -> Void
    let print: @Sendable (LicensePolicy) -> JSONValue?
    /// Replaces the value by the strictest of two policies.
    let merge: @Sendable (inout LicensePolicy, LicensePolicy, KSM.Configuration) -> Void
    /// Replaces the value by that of a token, if it has one.
    let loosen: @Sendable (inout LicensePolicy, LicensePolicy) -> Void
    /// The strictness of the value as a number; nil if the merge rule does not order all values.
    let rank: (@Sendable (LicensePolicy, KSM.Configuration) -> Int)?
    /// Returns why the value is not valid, or nil. Nil: every value is valid.
    let check: (@Sendable (LicensePolicy) -> String?)?
    /// Returns why a value that is valid after a merge is not valid in a document, or nil.
    let checkInDocument: (@Sendable (LicensePolicy) -> String?)?

    /// The report that the field can require.
    private(set) var report: RequiredReport?
    /// Finds what is wrong with the field under which no license can be issued.
    private(set) var problem: (@Sendable (LicensePolicy, TrackKind) -> PolicyProblem?)?
    /// Finds what is wrong with the field in a document only.
    private(set) var documentProblem: (@Sendable (LicensePolicy) -> PolicyProblem?)?
    /// Returns a sentence for the operator about a permissive value.
    private(set) var opening: @Sendable (LicensePolicy) -> String? = { _ in nil }
    /// Returns the requests that the value refuses, as a noun phrase for the operator.
    private(set) var refusal: @Sendable (LicensePolicy) -> String? = { _ in nil }
    /// True if a policy restricts something by this field that a client without FairPlay does not enforce.
    private(set) var isUnenforcedWithoutFairPlay: @Sendable (LicensePolicy) -> Bool = { _ in false }
    private var effectsOfValue: @Sendable (LicensePolicy) -> [PolicyEffect]

    /// The report of an SPC that a rule depends on, and that `requireReport` requires.
    struct RequiredReport: Sendable {
        let rule: LicensePolicy.ReportedRule
        /// The setting with which the rule can refuse a request, as text for an error.
        let setting: String
        /// The requests that pass the rule because they do not contain the report, as text for a note; nil if the rule
        /// does not permit these.
        let passingWithout: String?
        /// True if the rule can refuse a request because of a report.
        let canRefuse: @Sendable (LicensePolicy) -> Bool
    }

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - name: The name in JSON.
    ///   - path: The property. Nil: the field is missing.
    ///   - form: The JSON form.
    ///   - summary: The meaning in one or two sentences, with code in backticks.
    ///   - ifMissing: The effect if the field is missing, with code in backticks.
    ///   - merging: The rule by which values are merged.
    init<Value: Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<LicensePolicy, Value?> & Sendable,
        _ form: PolicyForm<Value>,
        _ summary: String,
        ifMissing: String,
        merging: PolicyMerge<Value>
    ) {
        self.name = name
        values = form.values
        self.summary = summary
        self.ifMissing = ifMissing
        merged = merging.text
        members = form.members
        schemaOfValue = form.schema
        parse = { policy, json, place throws(PolicyError) in policy[keyPath: path] = try form.parse(json, place) }
        print = { policy in policy[keyPath: path].map(form.print) }
        merge = { merged, other, configuration in
            let (left, right) = (merged[keyPath: path], other[keyPath: path])
            guard left != nil || right != nil else { return }
            merged[keyPath: path] = merging.strictest(left, right, configuration)
        }
        loosen = { policy, token in
            guard let value = token[keyPath: path] else { return }
            policy[keyPath: path] = merging.loosened(policy[keyPath: path], value)
        }
        if let rank = merging.rank {
            self.rank = { policy, configuration in rank(policy[keyPath: path], configuration) }
        } else {
            rank = nil
        }
        /// Returns a check of the policy, for a check of the value.
        func ofPolicy(_ check: (@Sendable (Value) -> String?)?) -> (@Sendable (LicensePolicy) -> String?)? {
            guard let check else { return nil }
            return { policy in policy[keyPath: path].flatMap(check) }
        }
        check = ofPolicy(form.check)
        checkInDocument = ofPolicy(form.checkInDocument)
        effectsOfValue = { policy in
            let json = policy[keyPath: path].map(form.print)
            let text = json.map { $0.text ?? String(decoding: $0.encoded(), as: UTF8.self) }
            return [PolicyEffect(label: name, text: text ?? ifMissing.filter { $0 != "`" })]
        }
    }
}

/// The effect of a field, for the output of commands: a label and a text.
package struct PolicyEffect: Sendable {
    /// The label, such as "SPC age".
    package let label: String
    /// The effect, such as "at most PT1H".
    package let text: String
}

/// A value that is not valid, or that contradicts another field.
struct PolicyProblem: Sendable {
    let code: PolicyError.Code
    /// The part of the value, such as `validity`.
    var member: String?
    let reason: String

    static func contradiction(_ reason: String, in member: String? = nil) -> Self {
        Self(code: .contradiction, member: member, reason: reason)
    }

    static func invalid(_ reason: String, in member: String? = nil) -> Self {
        Self(code: .invalidValue, member: member, reason: reason)
    }
}

// The parts of a row that most fields do not have.

extension PolicyField {
    /// Returns the row with a report that it can require, in the form `{"value": VALUE, "requireReport": BOOL}`.
    func report(
        _ rule: LicensePolicy.ReportedRule,
        setting: String,
        passingWithout: String? = nil,
        canRefuse: @escaping @Sendable (LicensePolicy) -> Bool
    ) -> Self {
        var field = self
        field.report = RequiredReport(
            rule: rule,
            setting: setting,
            passingWithout: passingWithout,
            canRefuse: canRefuse
        )
        return field
    }

    /// Returns the row with a check of every policy under which a license is issued.
    func problem(_ find: @escaping @Sendable (LicensePolicy, TrackKind) -> PolicyProblem?) -> Self {
        var field = self
        field.problem = find
        return field
    }

    /// Returns the row with a check of documents. A merged policy does not have to pass it.
    func documentProblem(_ find: @escaping @Sendable (LicensePolicy) -> PolicyProblem?) -> Self {
        var field = self
        field.documentProblem = find
        return field
    }

    /// Returns the row with a sentence for the operator about a permissive value.
    func opening(_ sentence: @escaping @Sendable (LicensePolicy) -> String?) -> Self {
        var field = self
        field.opening = sentence
        return field
    }

    /// Returns the row with a noun phrase for the requests that the value refuses.
    func refusing(_ phrase: @escaping @Sendable (LicensePolicy) -> String?) -> Self {
        var field = self
        field.refusal = phrase
        return field
    }

    /// Returns the row of a field that a client without FairPlay does not enforce.
    func unenforcedWithoutFairPlay(if isRestricting: @escaping @Sendable (LicensePolicy) -> Bool) -> Self {
        var field = self
        field.isUnenforcedWithoutFairPlay = isRestricting
        return field
    }

    /// Returns the row with a label and a text for the effect of the value. Nil: the policy has no effect to show.
    func shown(_ label: String, _ text: @escaping @Sendable (LicensePolicy) -> String?) -> Self {
        shown { policy in text(policy).map { [PolicyEffect(label: label, text: $0)] } ?? [] }
    }

    /// Returns the row with these effects of the value; none if the output shows the value elsewhere.
    func shown(_ effects: @escaping @Sendable (LicensePolicy) -> [PolicyEffect] = { _ in [] }) -> Self {
        var field = self
        field.effectsOfValue = effects
        return field
    }

    /// Returns the effects of the field's value in a policy.
    func effects(in policy: LicensePolicy) -> [PolicyEffect] {
        let effects = effectsOfValue(policy)
        guard let report, policy.requiredReports.contains(report.rule) else { return effects }
        return effects.map { PolicyEffect(label: $0.label, text: $0.text + ", and the report is required") }
    }
}
