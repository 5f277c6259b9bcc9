import HLSPlaylist
import StreamValidation
import Testing
import ToolSupport

@testable import keyway

@Suite("The configuration file of keyway validate")
struct SuppressionFileTests {
    @Test(
        "has severities and suppressions, in YAML or JSON",
        arguments: [
            """
            severity:
              not-secure: advice
              apple-ladder: off
            suppress:
              - rule: boundaries-differ
                place: "video-*/media.m3u8"
                reason: The encoder cannot be changed.
                expires: 2027-06-30
              - {rule: interlaced, reason: archive}
            """,
            """
            {"severity": {"not-secure": "advice", "apple-ladder": "off"},
             "suppress": [{"rule": "boundaries-differ", "place": "video-*/media.m3u8",
                           "reason": "The encoder cannot be changed.", "expires": "2027-06-30"},
                          {"rule": "interlaced", "reason": "archive"}]}
            """,
        ]
    )
    func content(text: String) throws {
        let file = try SuppressionFile(parsing: text, name: "rules.yaml")
        #expect(file.severities == ["not-secure": .level(.advice), "apple-ladder": .off])
        #expect(file.exceptions.map(\.rule) == ["boundaries-differ", "interlaced"])
        #expect(file.exceptions[0].place?.text == "video-*/media.m3u8" && file.exceptions[1].place == nil)
        #expect(file.exceptions[0].expires == "2027-06-30" && file.exceptions[1].reason == "archive")
    }

    @Test("can be empty")
    func empty() throws { #expect(try SuppressionFile(parsing: "", name: "rules.yaml").exceptions.isEmpty) }

    @Test(
        "with a mistake is an error with the file and the line",
        arguments: [
            ("severity:\n  interlaced: high", 2, "expected critical"),
            ("severity:\n  interlacd: must", 2, "interlaced"),
            ("suppress:\n  - rule: interlaced", 2, "reason"), ("suppress:\n  - reason: a", 2, "rule"),
            ("suppress:\n  - {rule: interlaced, reason: a, expires: 2027-02-30}", 2, "expires"),
            ("suppress:\n  - {rule: interlaced, reason: a, expires: soon}", 2, "expires"),
            ("suppress:\n  - {rule: interlaced, reason: a, place: ''}", 2, "place"),
            ("\nsupress: []", 2, "supress"), ("suppress: 1", 1, "a list"), ("- a", 1, "a mapping"),
        ]
    )
    func mistakes(text: String, line: Int, part: String) {
        let error = #expect(throws: CommandFailure.self) { try SuppressionFile(parsing: text, name: "rules.yaml") }
        let what = error?.what ?? ""
        #expect(what.hasPrefix("rules.yaml:\(line): ") && what.contains(part), "\(what)")
    }

    @Test("that is not YAML is an error")
    func syntax() {
        let error = #expect(throws: CommandFailure.self) { try SuppressionFile(parsing: "{", name: "rules.yaml") }
        #expect(error?.what.contains("rules.yaml") == true)
    }
}
