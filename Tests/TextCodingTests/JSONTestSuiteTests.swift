import Testing
import TextCoding

/// Cases of the JSONTestSuite (https://github.com/nst/JSONTestSuite) with its names: `y` must be accepted and `n`
/// refused. RFC 8259 does not define `i`; the parser refuses those without an exact meaning.
@Suite("The cases of the JSONTestSuite")
struct JSONTestSuiteTests {
    private func isRead(_ bytes: [UInt8]) -> Bool { (try? JSONValue(parsing: bytes, maximumDepth: 500)) != nil }

    @Test(
        "y: what is JSON is read",
        arguments: [
            "[[]   ]", "[]", "[\"\"]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]", "[null]", "[1\n]", " [1]",
            "[1,null,null,null,2]", "[2] ", "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
            "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]", "[20e1]", "[-0]",
            "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
            "[123.456789]", #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf"}"#, "{}", #"{"":0}"#,
            #"{"foo\u0000bar": 42}"#, #"{ "min": -1.0e+28, "max": 1.0e+28 }"#,
            #"{"a":[]}"#, "{\n\"a\": \"b\"\n}", #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#,
            #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#, #"["\""]"#,
            "[\"a/*b*/c/*d//e\"]",
            #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#, "[\"asd\"]", "[ \"asd\"]", #"["\uDBFF\uDFFF"]"#,
            #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", #"["\u0000"]"#, #"["\u002c"]"#, "[\"π\"]",
            "[\"\u{1BFFF}\"]", "[\"asd \"]", "\" \"", #"["\uD834\uDd1e"]"#, #"["\u0821"]"#, "[\"\u{2028}\u{2029}\"]",
            "[\"\u{7F}\"]", #"["\u005C"]"#, #"["\u0022"]"#, "[\"€𝄞\"]", "[\"a\u{7F}a\"]", "false", "42", "-0.1", "null",
            "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] ",
        ]
    )
    func accepted(_ text: String) { #expect(isRead(Array(text.utf8))) }

    @Test(
        "n: what is not JSON is refused",
        arguments: [
            "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]", "[\"x\"", "[x",
            "[3[4]]", "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{B}a\"\\f]",
            "[*]",
            "[\"\"", "[1,", "[1,\n1\n,1", "[{}", "[fals]", "[nul]", "[tru]", "123\u{0}", "[++1234]", "[+1]", "[+Inf]",
            "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]",
            "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]",
            "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[１]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]",
            "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1.]", "[.123]",
            "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[-00.0]", "[-00e0]", "[00.0]", "[00e0]",
            "[\"x\", truth]",
            "{[: \"x\"}", "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}", "{key: 'value'}", "{\"a\" b}",
            "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":", "{\"a\"", "{1:1}", "{9999E9999:1}", "{null:null,null:null}",
            "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//",
            "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }",
            "{\"a\":\"b\"}#", " ", #"["\uD800\"]"#, #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#, "[é]",
            "[\"\\\u{0}\"]", #"["\x00"]"#, #"["\\\"]"#, "[\"\\\t\"]", "[\"\\🌀\"]", #"["\"]"#, #"["\u00A"]"#,
            #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#, #"["\a"]"#, #"["\uqqqq"]"#, #"[\u0020"asd"]"#, #"[\n]"#, "\"",
            "['single quote']", "abc", #"["\"#, "[\"a\u{0}a\"]", "[\"new\nline\"]", "[\"\t\"]", #""\UA66D""#, "\"\"x",
            "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "aå", "[True]", "1]", "{\"x\": true,", "[][]", "]", "å",
            #"{"a":/*comment*/"b"}"#, #"{"a": true} "x""#, "['", "[,", "[{", "[\"a", "[\"a\"", "{", "{]", "{,", "{[",
            "{\"a",
            "{'a'", #"["\{["\{["\{["\{"#, "*", #"{"a":"b"}#{}"#, #"[\u000A""]"#, "[1", "[ false, nul", "[ true, fals",
            "[ false, tru", #"{"asd":"asd""#, "å", "[\u{2060}]", "\u{FEFF}", "[\u{C}]", "\u{FEFF}[]", #"["\254"]"#,
        ]
    )
    func refused(_ text: String) { #expect(!isRead(Array(text.utf8))) }

    @Test(
        "n and i: bytes that are not UTF-8 are refused",
        arguments: [
            [0x5B, 0xFF, 0x5D], [0x5B, 0x61, 0xE5, 0x5D], [0x5B, 0x31, 0xE5, 0x5D], [0x5B, 0x30, 0xE5, 0x5D],
            [0x5B, 0x31, 0x65, 0x31, 0xE5, 0x5D], [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x30, 0x7D], [0xEF, 0xBB, 0x7B, 0x7D],
            [0x5B, 0x22, 0xE0, 0xFF, 0x22, 0x5D], [0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D],
            [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D], [0x5B, 0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22, 0x5D],
            [0x5B, 0x22, 0x81, 0x22, 0x5D], [0xFF, 0xFE, 0x5B, 0x00, 0x22, 0x00, 0x22, 0x00, 0x5D, 0x00],
        ]
    )
    func notUnicode(_ bytes: [UInt8]) { #expect(!isRead(bytes)) }

    @Test(
        "i: numbers beyond a Double and halves of surrogate pairs are refused, what comes near to zero is zero",
        arguments: [
            ("[1.5e+9999]", false), ("[-1e+9999]", false), ("[0.4e0066999999999999999999999999999999999999]", false),
            (#"["\uDADA"]"#, false), (#"["\uD888\u1234"]"#, false), (#"["\uDd1e\uD834"]"#, false),
            ("[123e-10000000]", true), ("[-123123123123123123123123123123]", true), ("[100000000000000000000]", true),
        ]
    )
    func leftOpen(_ text: String, _ expected: Bool) { #expect(isRead(Array(text.utf8)) == expected) }

    @Test(
        "y: but names that come twice have no one meaning, and are refused",
        arguments: [#"{"a":"b","a":"c"}"#, #"{"a":"b","a":"b"}"#]
    )
    func twice(_ text: String) { #expect(!isRead(Array(text.utf8))) }

    @Test("n: 100,000 brackets are refused without deep recursion")
    func deep() {
        #expect(!isRead([UInt8](repeating: UInt8(ascii: "["), count: 100_000)))
        #expect(!isRead(Array(String(repeating: #"[{"":"#, count: 50_000).utf8)))
        let nested = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(isRead(Array(nested.utf8)))
    }
}
