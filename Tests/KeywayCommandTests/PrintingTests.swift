import FPSCrypto
import Foundation
import Testing
import TextCoding

@testable import keyway

/// Tests of reports as text and as JSON.
@Suite("Printing")
struct PrintingTests {
    private var report: Report {
        var report = Report(kind: "test", headline: "A test")
        report.tables = [
            FieldTable(
                title: "One table",
                remark: "a remark",
                heading: [Field("tag", .identifier(5))],
                fields: [
                    Field("SPC version", .number(2 as UInt32)),
                    Field("made", .time(1_767_225_600)),
                    Field("ends in", .seconds(600, meaning: "PT10M")),
                    Field("many bytes", .bytes(Array(0..<40))),
                    Field("ciphertext", .opaque(Array(0..<40))),
                    Field("kind", .named("known", number: .hexadecimal(0xab, digits: 8))),
                    Field("other kind", .named(nil, number: .decimal(9))),
                    Field("list", .list([])),
                    Field("yes or no", .flag(true)),
                    Field("key", .secret(SecretBytes(copying: [0xde, 0xad]))),
                ],
                blocks: [FieldTable(title: "below", fields: [Field("text", .text("a\u{1b}[31m\u{202e}b"))])]
            )
        ]
        report.notes = ["a note"]
        return report
    }

    @Test("Text is aligned, escapes control characters, and hides secrets")
    func text() {
        #expect(
            TextRenderer().text(report) == """
                A test

                One table  a remark
                  SPC version  2
                  made         2026-01-01T00:00:00Z
                  ends in      600 s (PT10M)
                  many bytes   000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
                               2021222324252627
                  ciphertext   40 bytes, 0001020304050607...
                  kind         known (0x000000ab)
                  other kind   9, unknown
                  list         none
                  yes or no    yes
                  key          2 bytes, hidden
                  below
                    text  a\\u{1b}[31m\\u{202e}b

                Notes
                  - a note

                """
        )
        #expect(TextRenderer(reveal: true).text(report).contains("key          dead\n"))
    }

    @Test("JSON preserves the order of the fields, and hides secrets")
    func json() {
        let text = JSONRenderer().json(report).indented
        let keys = [
            "tag", "spcVersion", "made", "endsIn", "manyBytes", "ciphertext", "kind", "otherKind", "list", "key",
        ]
        let places = keys.compactMap { text.range(of: "\"\($0)\": ", options: .backwards)?.lowerBound }
        #expect(places.count == keys.count)
        #expect(!text.contains("dead"))
        #expect(text.contains("\"hidden\": true"))
        #expect(text.contains("\\u001b"))
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil)
        #expect(JSONRenderer(reveal: true).json(report).indented.contains("\"key\": \"dead\""))
    }

    @Test(
        "JSON keys are derived from field names",
        arguments: [
            ("asset ID", "assetID"), ("SPC version", "spcVersion"), ("R1", "r1"), ("bits from 64", "bitsFrom64"),
            ("FairPlay version, userland", "fairplayVersionUserland"),
        ]
    )
    func keys(name: String, key: String) { #expect(Field.key(for: name) == key) }
}
