import ContentKeySession
import Foundation
import Testing

@Suite("The catalog of error numbers")
struct PlatformErrorCatalogTests {
    /// A row of the published knowledge about a number: its domains, and how sure its meaning is.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: Int32
        let domains: [PlatformErrorDomain]
        let certainty: PlatformErrorCertainty
        var testDescription: String { "\(domains[0]) \(number)" }
    }

    static func rows(
        _ domains: PlatformErrorDomain...,
        certainty: PlatformErrorCertainty,
        numbers: [Int32]
    ) -> [Row] {
        numbers.map { Row(number: $0, domains: domains, certainty: certainty) }
    }

    static let rows: [Row] =
        rows(
            .avFoundation,
            certainty: .documented,
            numbers: [
                -11800, -11801, -11819, -11828, -11829, -11831, -11835, -11836, -11838, -11847, -11848, -11849, -11850,
                -11853, -11856, -11857, -11860, -11862, -11863, -11866, -11867, -11868, -11870, -11878, -11879, -11882,
            ]
        )
        + rows(.avFoundation, certainty: .nameOnly, numbers: [-11888, -11889])
        + rows(
            .osStatus,
            certainty: .documented,
            numbers: [
                -42656, -42668, -42672, -42673, -42674, -42675, -42676, -42679, -42681, -42783, -42799, -42800, -42803,
                -42811,
            ]
        )
        + rows(.osStatus, certainty: .unknown, numbers: [-42650, -42669, -42709])
        + rows(.osStatus, certainty: .oneReport, numbers: [-46250])
        + rows(.keyServer, certainty: .oneReport, numbers: [-42580])
        + rows(
            .coreMedia,
            certainty: .severalReports,
            numbers: [
                -12318, -12642, -12645, -12660, -12661, -12666, -12884, -12888, -12937, -12938, -12939, -16840,
            ]
        )
        + rows(
            .coreMedia,
            certainty: .oneReport,
            numbers: [-12174, -12646, -12667, -12860, -12880, -12926, -15418]
        )
        + rows(
            .coreMedia,
            certainty: .unknown,
            numbers: [-12971, -15517, -15622, -15628, -16041, -19152, -19156]
        )
        + rows(.coreMedia, .osStatus, certainty: .severalReports, numbers: [1_718_449_215])
        + rows(
            .url,
            certainty: .documented,
            numbers: [-1, -999, -1001, -1002, -1003, -1004, -1008, -1009, -1022]
        )
        + rows(.cocoa, certainty: .documented, numbers: [3072])

    @Test(
        "Every known number is found with its domain and without, and has the certainty of its sources",
        arguments: rows
    )
    func row(row: Row) throws {
        for domain in row.domains {
            let found = PlatformErrorCatalog.explanations(number: row.number, domain: domain)
            #expect(found.map(\.domains) == [row.domains])
            #expect(found.map(\.certainty) == [row.certainty])
        }
        #expect(PlatformErrorCatalog.explanations(number: row.number).map(\.number) == [row.number])
        #expect(
            PlatformErrorCatalog.explanations(number: row.number, domain: .init(rawValue: "com.example")).count == 1
        )
    }

    @Test("The catalog has no other numbers, and one error without a number")
    func complete() {
        let all = PlatformErrorCatalog.all
        #expect(Set(all.compactMap(\.number)) == Set(Self.rows.map(\.number)))
        #expect(all.count == Self.rows.count + 1)
        #expect(all.filter { $0.number == nil }.map(\.constant) == ["contentKeyRequestFulfilledWithAdvisoryKey"])
        #expect(!all.contains { $0.number == 0 })
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(Set(all.compactMap(\.constant)).count == all.compactMap(\.constant).count)
    }

    @Test("The catalog is grouped by domain")
    func order() {
        let domains = PlatformErrorCatalog.all.map { $0.domains[0].rawValue }
        let changes = zip(domains, domains.dropFirst()).filter { $0 != $1 }.count
        #expect(changes == Set(domains).count - 1)
    }

    @Test(
        "Every explanation has a meaning, remedies and a source, and no unfinished text",
        arguments: PlatformErrorCatalog.all
    )
    func texts(explanation: PlatformErrorExplanation) {
        #expect(!explanation.domains.isEmpty)
        #expect(!explanation.remedies.isEmpty)
        #expect(!explanation.source.isEmpty)
        #expect(explanation.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
        for sentence in [explanation.meaning] + explanation.causes + explanation.remedies {
            #expect(sentence.last == "." && sentence.first?.isUppercase == true, "\(sentence)")
            #expect(!sentence.contains("\n") && !sentence.contains("|") && !sentence.contains("  "), "\(sentence)")
        }
    }

    @Test("An explanation that is not Apple's says so", arguments: PlatformErrorCatalog.all)
    func certainty(explanation: PlatformErrorExplanation) {
        switch explanation.certainty {
        case .documented: break
        case .nameOnly:
            #expect(explanation.meaning.contains("name") || explanation.meaning.contains("publishes neither"))
        case .severalReports: #expect(explanation.meaning.contains("eveloper"))
        case .oneReport: #expect(explanation.meaning.hasPrefix("Reported by one developer"))
        case .unknown: #expect(explanation.meaning.contains("The meaning is unknown."))
        }
        if explanation.certainty != .documented { #expect(explanation.certainty.text.contains("Apple")) }
        if explanation.source.contains("field table") { #expect(explanation.source.contains("no text of Apple")) }
    }

    @Test("An ambiguous number lists all causes that developers report")
    func ambiguous() throws {
        let found = try #require(PlatformErrorCatalog.explanations(number: -12642).first)
        #expect(found.meaning.hasPrefix("Ambiguous"))
        let causes = found.causes.joined(separator: " ")
        for cause in ["unchanged", "parsed", "no media", "byte ranges"] { #expect(causes.contains(cause), "\(cause)") }
    }

    @Test("Small numbers belong to their own domain; the numbers of media errors are found across their domains")
    func domains() {
        func names(_ number: Int32, _ domain: PlatformErrorDomain) -> [String] {
            PlatformErrorCatalog.explanations(number: number, domain: domain).map(\.name)
        }
        #expect(names(-1, .coreMedia) == [])
        #expect(names(-999, .osStatus) == [])
        #expect(names(-999, .cocoa) == [])
        #expect(names(3072, .url) == [])
        #expect(names(-42668, .url) == [])
        #expect(names(-42800, .coreMedia) == ["persistent-key-expired"])
        #expect(names(-12642, .osStatus) == ["playlist-or-media-unusable"])
        #expect(names(-11835, .osStatus) == ["content-is-not-authorized"])
    }

    @Test("Errors are found by the names that Apple and the catalog give them")
    func names() throws {
        for explanation in PlatformErrorCatalog.all {
            #expect(PlatformErrorCatalog.explanation(named: explanation.name) == explanation)
            guard let constant = explanation.constant else { continue }
            #expect(PlatformErrorCatalog.explanation(named: constant) == explanation)
            #expect(PlatformErrorCatalog.explanation(named: constant.uppercased()) == explanation)
        }
        #expect(PlatformErrorCatalog.explanation(named: "notConnectedToInternet")?.number == -1009)
        #expect(PlatformErrorCatalog.explanation(named: "contentKeyRequestCancelled")?.number == -11879)
        for word in ["unknown", "cancelled", "", "error"] {
            #expect(PlatformErrorCatalog.explanation(named: word) == nil, "\(word)")
        }
    }

    @Test("A code accepts unsigned numbers, and no number of more than 32 bits")
    func code() {
        #expect(PlatformErrorCode(domain: nil, code: 4_294_924_628)?.number == -42668)
        #expect(PlatformErrorCode(domain: nil, code: -42668)?.unsignedNumber == 4_294_924_628)
        #expect(PlatformErrorCode(domain: .osStatus, code: Int(Int32.min))?.number == .min)
        for code in [Int.max, Int.min, Int(UInt32.max) + 1, Int(Int32.min) - 1] {
            #expect(PlatformErrorCode(domain: nil, code: code) == nil)
        }
    }

    @Test("The document contains exactly the catalog")
    func document() throws {
        let file = MachineTableTests.root.appending(path: "docs/error-numbers.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let rows = text.split(separator: "\n").map(String.init).filter {
            $0.contains(/^\| [^|]+ \| `[^|]+` \| [^|]+ \| [^|]+ \|$/)
        }
        let expected = PlatformErrorCatalog.all.map { explanation in
            let number = explanation.number.map(String.init) ?? "`\(explanation.constant ?? "")`"
            return "| \(number) | `\(explanation.name)` | \(explanation.certainty.rawValue) | \(explanation.summary) |"
        }
        #expect(expected.filter { !rows.contains($0) } == [], "the document lacks these rows")
        #expect(rows.filter { !expected.contains($0) } == [], "the catalog lacks these rows")
        #expect(rows == expected)
    }
}
