import Testing
import TextCoding

@Suite("Suggestions for misspelled names")
struct SpellingTests {
    @Test(
        "The nearest name is found regardless of case; a name that differs too much is not",
        arguments: [
            ("leese", "lease"), ("HDCP", "hdcp"), ("hdpc", "hdcp"), ("securitylevel", "securityLevel"), ("", nil),
            ("something", nil), ("securityLevels", "securityLevel"), (String(repeating: "lease", count: 30), nil),
        ] as [(String, String?)]
    )
    func nearest(name: String, expected: String?) {
        #expect(Spelling.nearest(name, in: ["lease", "hdcp", "securityLevel"]) == expected)
    }

    @Test("The distance counts insertions, deletions and replacements")
    func distance() {
        #expect(Spelling.distance("kitten", "sitting") == 3)
        #expect(Spelling.distance("", "abc") == 3)
        #expect(Spelling.distance("abc", "abc") == 0)
    }
}
