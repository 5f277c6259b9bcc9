import Testing
import TextCoding

@Suite("Numbers with their nouns")
struct PluralTests {
    @Test("Only one is singular", arguments: [(0, "0 keys"), (1, "1 key"), (2, "2 keys"), (-1, "-1 keys")])
    func regular(_ number: Int, _ text: String) { #expect(counted(number, "key") == text) }

    @Test("A noun can have an irregular plural", arguments: [(0, "0 entries"), (1, "1 entry"), (2, "2 entries")])
    func irregular(_ number: Int, _ text: String) { #expect(counted(number, "entry", "entries") == text) }
}

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test(
        "The vectors of RFC 4648 are encoded in lowercase, and decoded in both cases",
        arguments: [("", ""), ("f", "66"), ("fo", "666f"), ("foo", "666f6f"), ("foobar", "666f6f626172")]
    )
    func vectors(_ plain: String, _ digits: String) {
        #expect(Hexadecimal.encode(Array(plain.utf8)) == digits)
        #expect(Hexadecimal.encodeUppercase(Array(plain.utf8)) == digits.uppercased())
        #expect(Hexadecimal.decode(digits) == Array(plain.utf8))
        #expect(Hexadecimal.decode(digits.uppercased()) == Array(plain.utf8))
    }

    @Test("Every byte round-trips")
    func everyByte() {
        let bytes = Array(UInt8.min ... .max)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes)
        #expect(Hexadecimal.decode(Hexadecimal.encodeUppercase(bytes)) == bytes)
        let digits = (UInt8.min ... .max).filter { Hexadecimal.value(of: $0) != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
    }

    @Test(
        "Anything except pairs of digits is refused",
        arguments: ["0", "000", "0x00", "0g", "+1", " 00", "0 0", "１２", "é"]
    )
    func refused(_ text: String) { #expect(Hexadecimal.decode(text) == nil) }

    @Test("Numbers have all the digits of their type, or the requested number")
    func numbers() {
        #expect(Hexadecimal.encode(0xABC as UInt64) == "0000000000000abc")
        #expect(Hexadecimal.encode(UInt64.max) == "ffffffffffffffff")
        #expect(Hexadecimal.encode(0 as UInt32, digits: 1) == "0")
        #expect(Hexadecimal.encode(0x1234 as UInt32, digits: 1) == "1234")
        #expect(Hexadecimal.encode(0x1234 as UInt32, digits: 6) == "001234")
        #expect(Hexadecimal.encode(7 as UInt8) == "07")
    }
}

@Suite("Percent-encoding and forms")
struct PercentEncodingTests {
    @Test("Everything except unreserved characters is encoded, and round-trips")
    func encoding() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("a b/+é%") == "a%20b%2F%2B%C3%A9%25")
        let bytes = Array(UInt8.min ... .max)
        #expect(PercentEncoding.decode(PercentEncoding.encode(bytes).utf8) == bytes)
    }

    @Test("Text is decoded; invalid escapes and invalid UTF-8 are refused")
    func decoding() {
        #expect(PercentEncoding.decode("a%20b+%c3%A9") == "a b+é")
        for text in ["%", "%4", "%zz", "a%4z", "%+1", "%FF"] {
            let decoded: String? = PercentEncoding.decode(text)
            #expect(decoded == nil, "\(text)")
        }
        #expect(PercentEncoding.decode("%FF".utf8) == [0xFF])
    }

    @Test("Lenient decoding keeps an invalid escape unchanged")
    func lenient() {
        #expect(PercentEncoding.decodeLeniently("a%2Bb%2f c%".utf8) == Array("a+b/ c%".utf8))
        #expect(PercentEncoding.decodeLeniently("%zz%4%41%".utf8) == Array("%zz%4A%".utf8))
    }

    @Test("The fields of a form are decoded as by WHATWG's parser")
    func forms() throws {
        let fields = try #require(FormEncoding.decode("a=1&b=x+y%3D&&c&=d&a=%FF&e==".utf8))
        #expect(fields.map(\.name) == ["a", "b", "c", "", "a", "e"])
        #expect(fields.map(\.value) == ["1", "x y=", "", "d"].map { Array($0.utf8) } + [[0xFF], Array("=".utf8)])
        #expect(FormEncoding.decode("a=%4".utf8) == nil)
        #expect(FormEncoding.decode("%FF=1".utf8) == nil)
        #expect(FormEncoding.encode([(name: "a b", value: "1+1"), (name: "c", value: "")]) == "a%20b=1%2B1&c=")
    }
}

@Suite("Timestamps and durations")
struct TimestampTests {
    @Test(
        "The examples of RFC 3339 are parsed",
        arguments: [
            ("1985-04-12T23:20:50.52Z", 482_196_050, 520_000_000, 0),
            ("1996-12-19T16:39:57-08:00", 851_042_397, 0, -480),
            ("1990-12-31T23:59:60Z", 662_688_000, 0, 0), ("1990-12-31T15:59:60-08:00", 662_688_000, 0, -480),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_173, 870_000_000, 20),
            ("2000-02-29T00:00:00Z", 951_782_400, 0, 0),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0, 0),
        ]
    )
    func reading(_ text: String, _ seconds: Int64, _ nanoseconds: Int32, _ utcOffset: Int) throws {
        let time = try #require(Timestamp(text))
        #expect(time.seconds == seconds)
        #expect(time.nanoseconds == nanoseconds)
        #expect(time.utcOffset == utcOffset)
    }

    @Test("A time without a zone counts as UTC, and has no offset")
    func withoutZone() {
        #expect(Timestamp("1970-01-01T00:00:01")?.seconds == 1)
        #expect(Timestamp("1970-01-01T00:00:01")?.utcOffset == nil)
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "2026", "2026-01-01", "2026-1-1T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01t00:00:00z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00Zx", "２026-01-01T00:00:00Z", "20260101T000000Z",
            "+2026-01-01T00:00:00Z", "2026-01-01T00:00:00." + String(repeating: "0", count: 43) + "Z ",
        ]
    )
    func refused(_ text: String) { #expect(Timestamp(text) == nil) }

    @Test("Times are formatted in UTC, and round-trip")
    func writing() {
        #expect(Timestamp.text(seconds: 0) == "1970-01-01T00:00:00Z")
        #expect(Timestamp.text(seconds: -1) == "1969-12-31T23:59:59Z")
        #expect(Timestamp.text(milliseconds: 951_782_400_007) == "2000-02-29T00:00:00.007Z")
        #expect(Timestamp.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        for seconds in stride(from: Int64(-62_135_596_800), through: 253_402_300_799, by: 86_399 * 1_013) {
            #expect(Timestamp(Timestamp.text(seconds: seconds))?.seconds == seconds)
        }
        // No number of seconds causes a crash.
        _ = (Timestamp.text(seconds: .min), Timestamp.text(seconds: .max), Timestamp.text(milliseconds: .min))
    }

    @Test(
        "Durations are parsed",
        arguments: [
            ("PT10M", 600, nil), ("P1DT12H", 129_600, nil), ("P2W", 1_209_600, nil), ("PT0S", 0, nil),
            ("PT1H1M1S", 3_661, nil), ("PT1.5S", 1, "5"), ("PT9999999999S", 9_999_999_999, nil),
        ] as [(String, UInt64, String?)]
    )
    func durations(_ text: String, _ seconds: UInt64, _ fraction: String?) {
        #expect(ISO8601Duration(text)?.seconds == seconds)
        #expect(ISO8601Duration(text)?.fraction == fraction)
    }

    @Test(
        "Invalid durations and durations without a fixed length are refused",
        arguments: [
            "", "P", "PT", "P1", "1D", "P1Y", "P1M", "P1DT", "PT1D", "P1H", "PT1S1M", "PT1M1M", "PT1.5M", "PT1.S",
            "PT.5S",
            "-PT1S", "PT-1S", "pt1s", "PT1S ", " PT1S", "PT10000000000S", "PT１S", "P1D1W", "PTT1S",
        ]
    )
    func notDurations(_ text: String) { #expect(ISO8601Duration(text) == nil) }

    @Test("Digits after the sixth digit of a fraction are discarded")
    func fractions() {
        #expect(ISO8601Duration("PT1.5S")?.microseconds == 500_000)
        #expect(ISO8601Duration("PT1.0000019S")?.microseconds == 1)
        #expect(ISO8601Duration("PT1S")?.microseconds == 0)
    }
}
