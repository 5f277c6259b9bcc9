import Foundation
import HTTPRequests
import Testing

@Suite("Dates of HTTP header fields")
struct HTTPDateTests {
    @Test(
        "are parsed in each format of RFC 9110 and of old cookies",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Saturday, 29-Feb-20 00:00:00 GMT", 1_582_934_400), ("Wednesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Fri, 30 Jun 2015 23:59:60 GMT", 1_435_708_800),
            ("sun, 6 nov 1994 08:49:37 gmt", 784_111_777),
        ] as [(String, Double)]
    )
    func valid(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "are rejected if they have another format or do not exist",
        arguments: [
            "", "soon", "7", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49: GMT", "Sun, 06 Novem 1994 08:49:37 GMT",
            "Day, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 12),
        ]
    )
    func invalid(text: String) { #expect(HTTPDate.parse(text) == nil) }
}
