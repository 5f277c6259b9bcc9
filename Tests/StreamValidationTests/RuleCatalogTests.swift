import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("The catalog of rules")
struct RuleCatalogTests {
    @Test("has each rule once, with a number, a requirement, and a correction")
    func entries() {
        let ids = RuleCatalog.all.map(\.id)
        #expect(Set(ids).count == ids.count, "\(Dictionary(grouping: ids, by: { $0 }).filter { $1.count > 1 }.keys)")
        for rule in RuleCatalog.all {
            #expect(!rule.summary.isEmpty && !rule.number.section.isEmpty, "\(rule.id)")
            #expect(rule.isAboutText == (rule.advice == nil), "\(rule.id)")
        }
        #expect(ids.contains("peak-above-bandwidth") && ids.contains("apple-no-sdr") && !ids.contains("codecs-missing"))
    }

    @Test("has numbers with a known source, and the revision for those of Apple's authoring specification")
    func numbers() {
        let other: Set<String> = ["8216bis", "fps", "cmaf", "keyway"]
        for rule in RuleCatalog.all {
            let number = rule.number
            #expect(number.target != nil || other.contains(number.source), "\(rule.id): \(number)")
            let needsRevision = number.target != nil && number.target != .podcasts
            #expect((number.revision != nil) == needsRevision, "\(rule.id): \(number)")
            #expect(RuleNumber("\(number)") == number)
        }
    }

    @Test("has the rules and numbers of every amendment and of every fault of Apple's tools")
    func amendments() {
        let ids = Set(RuleCatalog.all.map(\.id))
        for amendment in RuleAmendment.all {
            #expect(amendment.rules.isSubset(of: ids), "\(amendment)")
            let known = AuthoringRequirement.all.contains { $0.number == amendment.section }
            #expect(known || !amendment.rules.isEmpty, "\(amendment)")
        }
        let sections = Set(AuthoringRequirement.all.map(\.number))
        for fault in AppleToolFault.all {
            #expect(fault.rules.isSubset(of: ids) && fault.sections.isSubset(of: sections), "\(fault)")
        }
    }

    @Test("A level that a check has lowered is not amended")
    func loweredLevel() throws {
        let rule = try #require(RuleCatalog.rule("boundaries-differ"))
        #expect(rule.levels(of: .should)[.airplay2] == .must && rule.levels(of: .should)[.general] == .should)
        #expect(rule.levels(of: .advice)[.airplay2] == .advice)
        let cellular = try #require(RuleCatalog.rule("ios-cellular-variant"))
        #expect(cellular.levels(of: .must) == [.ios: .must])
    }

    @Test("The requirements of the authoring specification are listed once, in the order of their numbers")
    func requirements() {
        let numbers = AuthoringRequirement.all.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers.count > 140)
        let order = numbers.map { number in
            number.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
        }
        #expect(zip(order, order.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
        let unchecked = Set(RuleCatalog.unchecked.map(\.number))
        #expect(unchecked.contains("2.22") && !unchecked.contains("1.27") && !unchecked.contains("1.3a"))
        // The draft has these requirements too.
        #expect(unchecked.isDisjoint(with: ["2.15", "8.2", "15.1"]))
        #expect(
            AuthoringRequirement.unchecked(by: [RuleNumber("general:1.3a@2025-06-26")]).contains { $0.number == "1.3b" }
        )
        #expect(
            AuthoringRequirement.unchecked(by: [RuleNumber("tvos:9.20@2025-06-26")]).contains { $0.number == "9.20" }
        )
    }
}
