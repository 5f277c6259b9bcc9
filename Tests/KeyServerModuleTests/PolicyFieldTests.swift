import FPSMessages
import Testing
import TextCoding

@testable import KeyServerModule

@Suite("The table of policy fields")
struct PolicyFieldTests {
    /// Returns the policies in which only this field is set, with values made from its schema; all have a lease, which
    /// a limit of streams requires.
    private static func samples(of field: PolicyField) throws -> [LicensePolicy] {
        let base = LicensePolicy(lease: Seconds(rawValue: 7200))
        let schema = try #require(LicensePolicy.openAPISchema["properties"]?[field.name])
        return try [base]
            + values(of: schema).map { value in
                var policy = base
                try field.read(value, into: &policy)
                return policy
            }
    }

    private static func values(of schema: JSONValue) -> [JSONValue] {
        if let forms = schema["anyOf"]?.items { return forms.flatMap(values) }
        if let value = schema["properties"]?["value"] {
            return values(of: value).map { .object(["value": $0, "requireReport": .bool(true)]) }
        }
        let examples = schema["examples"]?.items ?? []
        switch schema["type"]?.text {
        case "boolean": return [.bool(true), .bool(false)]
        case "integer": return examples + [schema["minimum"], schema["maximum"]].compactMap { $0 }
        // The first item of an example overlaps with the example.
        case "array": return examples + examples.compactMap { $0.items.map { .array([$0[0]]) } }
        default: return schema["enum"]?.items ?? examples
        }
    }

    private static let fields = PolicyField.all.map(\.name)

    private func field(_ name: String) throws -> PolicyField {
        try #require(PolicyField.all.first { $0.name == name })
    }

    @Test("Every property of a policy has a row, and every row a property of the same name")
    func complete() {
        let computed: Set = ["requiredReports", "onlineLimit", "lostPersistence"]
        let properties = Mirror(reflecting: LicensePolicy()).children.compactMap(\.label)
        #expect(Set(properties).subtracting(computed) == Set(Self.fields))
        #expect(Set(Self.fields).count == PolicyField.all.count)
        for field in PolicyField.all {
            #expect(field.summary.hasSuffix("."), "\(field.name)")
            #expect(!field.ifMissing.isEmpty && !field.merged.isEmpty && !field.values.isEmpty, "\(field.name)")
            #expect(field.report.map { $0.rule.rawValue == field.name } ?? true)
        }
        #expect(Set(PolicyField.all.compactMap { $0.report?.rule }) == Set(LicensePolicy.ReportedRule.allCases))
    }

    @Test("The schema describes exactly the fields, and each of its values is parsed and printed", arguments: fields)
    func schema(name: String) throws {
        let field = try field(name)
        guard case .object(let properties)? = LicensePolicy.openAPISchema["properties"] else {
            throw PolicyError(.notAnObject, field: name, reason: "the schema has no properties")
        }
        #expect(properties.keys == Self.fields)
        #expect(properties[name]?["description"]?.text?.isEmpty == false)
        let samples = try Self.samples(of: field)
        #expect(samples.count >= 2)
        for policy in samples.dropFirst() {
            let printed = try #require(field.document(in: policy))
            var read = LicensePolicy(lease: policy.lease)
            try field.read(printed, into: &read)
            #expect(read == policy)
            // The document has the value under the name of the field.
            #expect(try JSONValue(parsing: policy.json)[name] == printed)
        }
        #expect(throws: PolicyError(.invalidValue, field: name, reason: "")) {
            try LicensePolicy(json: Array("{\"\(name)\": null}".utf8))
        }
    }

    @Test("Merging is commutative, associative and idempotent, and never looser than a policy", arguments: fields)
    func merge(name: String) throws {
        let field = try field(name)
        let samples = try Self.samples(of: field)
        let configuration = KSM.Configuration()
        for first in samples {
            #expect(try LicensePolicy.strictest([first, first]) == first)
            for second in samples {
                let merged = try LicensePolicy.strictest([first, second])
                #expect(sorted(try LicensePolicy.strictest([second, first])) == sorted(merged))
                // A policy that was merged already has nothing to add.
                #expect(try LicensePolicy.strictest([merged, first]) == merged)
                #expect(try LicensePolicy.strictest([merged, second]) == merged)
                #expect(merged.requiredReports == first.requiredReports.union(second.requiredReports))
                if let rank = field.rank {
                    #expect(
                        rank(merged, configuration) == max(rank(first, configuration), rank(second, configuration))
                    )
                }
                for third in samples {
                    let left = try LicensePolicy.strictest([merged, third])
                    #expect(try left == .strictest([first, .strictest([second, third])]))
                }
            }
        }
    }

    /// Returns the policy with its names in alphabetical order, because only the name depends on the order of a merge.
    private func sorted(_ policy: LicensePolicy) -> LicensePolicy {
        var policy = policy
        policy.name = policy.name?.split(separator: "+").sorted().joined(separator: "+")
        return policy
    }

    @Test("A token that can loosen a policy replaces the fields that it sets, and no others", arguments: fields)
    func loosen(name: String) throws {
        let field = try field(name)
        for policy in try Self.samples(of: field) {
            for token in try Self.samples(of: field) {
                let loosened = policy.loosened(by: token)
                let isKept = name == "otherClients" && policy.otherClients == .deny
                guard field.document(in: token) != nil, !isKept else {
                    #expect(field.document(in: loosened) == field.document(in: policy))
                    continue
                }
                // The versions of other devices stay, and the names are joined; the samples have one of each.
                #expect(field.document(in: loosened) == field.document(in: token))
            }
        }
    }

    @Test("Every field has an effect that commands print, except those that appear in the CKC")
    func effects() {
        let labels = PolicyField.all.filter { !$0.effects(in: .full).isEmpty }.map(\.name)
        #expect(Set(Self.fields).subtracting(labels) == ["name", "lease", "rental", "persist"])
        #expect(LicensePolicy.full.effects.contains { $0.label == "AirPlay" && $0.text == "denied" })
    }

    @Test(
        "An unknown name is an error with its place and the nearest name",
        arguments: [
            (#"{"leese":"PT10M"}"#, "leese", "did you mean lease?"),
            (#"{"HDCP":"type1"}"#, "HDCP", "did you mean hdcp?"),
            (#"{"airplay":{"value":"deny","requireReports":true}}"#, "airplay.requireReports", "requireReport?"),
            (#"{"persist":{"storge":"P30D"}}"#, "persist.storge", "did you mean storage?"),
            (#"{"osVersions":{"appleMobil":"15"}}"#, "osVersions.appleMobil", "did you mean appleMobile?"),
            (#"{"something":1}"#, "something", "expected one of name, hdcp, "),
        ]
    )
    func unknown(json: String, place: String, reason: String) throws {
        let error = try #require(throws: PolicyError.self) { try LicensePolicy(json: Array(json.utf8)) }
        #expect(error.code == .unknownField)
        #expect(error.field == place)
        #expect(error.reason.hasPrefix("unknown field; "))
        #expect(error.reason.contains(reason))
    }

    @Test(
        "An invalid value is an error with its place and the expected value",
        arguments: [
            (#"{"airplay":{"value":"perhaps"}}"#, "airplay.value", "expected one of allow, deny"),
            (#"{"airplay":{"requireReport":1}}"#, "airplay.requireReport", "expected true or false"),
            (#"{"osVersions":{"value":{"appleMobile":15}}}"#, "osVersions.value.appleMobile", "expected a version"),
            (#"{"persist":{"validity":"7 days"}}"#, "persist.validity", "expected an ISO 8601 duration"),
            (#"{"streams":0,"lease":"PT10M"}"#, "streams", "expected a number from 1 to 1000"),
            (#"{"lease":"PT10M","lease":"PT20M"}"#, "", "a name appears twice"),
        ]
    )
    func invalid(json: String, place: String, reason: String) throws {
        let error = try #require(throws: PolicyError.self) { try LicensePolicy(json: Array(json.utf8)) }
        #expect(error.field == place)
        #expect(error.reason.contains(reason), "\(error)")
    }
}

extension LicensePolicy {
    /// A policy in which every rule applies.
    fileprivate static let full = LicensePolicy(
        rental: Seconds(rawValue: 600),
        persist: .limited(Seconds(rawValue: 500)),
        minimumKDL: 31,
        airplay: .deny,
        osVersions: [.appleMobile: .init(15)],
        preload: Seconds(rawValue: 5),
        catchUp: Seconds(rawValue: 5)
    )
}
