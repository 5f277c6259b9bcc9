import KeyServerModule
import Testing

@testable import KeyServer

@Suite("The client address of a request")
struct OperationsClientAddressTests {
    @Test("Addresses are parsed in every format that proxies use")
    func forms() {
        for (text, expected) in [
            ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1\t", "192.0.2.1"), ("192.0.2.1:443", "192.0.2.1"),
            ("\"192.0.2.1:443\"", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"), ("\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("[::ffff:192.0.2.1]:1", "192.0.2.1"),
        ] { #expect(ClientAddress(forwarded: text)?.description == expected, "\(text)") }
        for text in [
            "", " ", "unknown", "_hidden", "192.0.2", "192.0.2.256", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:65536",
            "192.0.2.1:+1", "[2001:db8::1", "[2001:db8::1]x", "[192.0.2.1", "fe80::1%eth0", "192.0.2.1\u{0}",
            "01.2.3.4 5",
            "\"", "[]", "[]:1", ":1", "1:1", String(repeating: "1", count: 10_000), "0x7f.1", "127.1", "\u{1F511}",
        ] { #expect(ClientAddress(forwarded: text) == nil, "\(text)") }
    }

    @Test("Networks contain exactly their addresses")
    func networks() throws {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("192.0.2.128/25", "192.0.2.128", "192.0.2.127"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"), ("0.0.0.0/0", "255.1.2.3", "::1"),
            ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"), ("::/0", "::1", "10.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "::10.0.0.1"),
        ] {
            let network = try #require(IPNetwork(rawValue: network))
            #expect(network.contains(bytes: try #require(ClientAddress(inside)).bytes), "\(network)")
            #expect(!network.contains(bytes: try #require(ClientAddress(outside)).bytes), "\(network)")
        }
        for text in [
            "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "a/8", "::1/129", "/8", "",
        ] {
            #expect(IPNetwork(rawValue: text) == nil, "\(text)")
        }
    }

    @Test(
        "Only proxies are trusted, from the right, as long as they are known",
        arguments: [
            ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),  // the peer is no proxy
            ("10.0.0.1", [], "10.0.0.1"),
            ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", ["1.1.1.1, 203.0.113.9"], "203.0.113.9"),  // the client wrote the first
            ("10.0.0.1", ["1.1.1.1, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            ("10.0.0.1", ["1.1.1.1", "203.0.113.9", "10.0.0.2"], "203.0.113.9"),  // several header fields
            ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", ["203.0.113.9, garbage"], "10.0.0.1"),
            ("10.0.0.1", ["203.0.113.9, garbage, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", ["203.0.113.9,"], "10.0.0.1"),
            ("10.0.0.1", ["[2001:db8::9]:80"], "2001:db8::9"),
            ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", [String(repeating: "10.0.0.2,", count: 1_000) + "10.0.0.2"], "10.0.0.2"),
        ]
    )
    func proxies(peer: String, fields: [String], expected: String) throws {
        let proxies = TrustedProxies([try #require(IPNetwork(rawValue: "10.0.0.0/8"))])
        let client = proxies.client(peer: ClientAddress(peer), forwardedFor: fields)
        #expect(client?.description == expected)
        #expect(TrustedProxies.none.client(peer: ClientAddress(peer), forwardedFor: fields) == ClientAddress(peer))
    }

    @Test("A trace is continued with a new span")
    func trace() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let trace = TraceContext(traceparent: parent)
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.parentID == "00f067aa0ba902b7")
        #expect(trace.isSampled)
        #expect(trace.spanID != trace.parentID)
        #expect(trace.traceparent == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(trace.spanID)-01")
        #expect(TraceContext(traceparent: trace.traceparent).parentID == trace.spanID)
        // Of a later version, the known fields are used.
        #expect(TraceContext(traceparent: "cc" + parent.dropFirst(2) + "-what-the-future-brings").parentID != nil)
    }

    @Test("An invalid trace header is ignored, and a new trace starts")
    func noTrace() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let zeros = String(repeating: "0", count: 32)
        for text in [
            "", "00", "00-\(id)-00f067aa0ba902b7", "00-\(id)-00f067aa0ba902b7-01-x", "ff-\(id)-00f067aa0ba902b7-01",
            "00-\(zeros)-00f067aa0ba902b7-01", "00-\(id)-0000000000000000-01",
            "00-\(id.uppercased())-00f067aa0ba902b7-01",
            "00-\(id)-00f067aa0ba902b7-0g", "00_\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7-0é",
            "cc-\(id)-00f067aa0ba902b7-01x", String(repeating: "é", count: 55),
            "01-\(id)-00f067aa0ba902b7-01-" + zeros + String(repeating: zeros, count: 20),
        ] {
            let trace = TraceContext(traceparent: text)
            #expect(trace.parentID == nil, "\(text)")
            #expect(
                trace.traceID.wholeMatch(of: /[0-9a-f]{32}/) != nil
                    && trace.spanID.wholeMatch(of: /[0-9a-f]{16}/) != nil
            )
        }
        #expect(TraceContext().traceID != TraceContext().traceID)
    }

    @Test("IDs have all their digits, with leading zeros")
    func digits() {
        struct Always: RandomNumberGenerator {
            let number: UInt64
            func next() -> UInt64 { number }
        }
        for (number, digits) in [
            (0x0000_0000_0A1B_2C3F, "000000000a1b2c3f"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
            (0xF0E1_D2C3_B4A5_9687, "f0e1d2c3b4a59687"),
        ] as [(UInt64, String)] {
            var random = Always(number: number)
            let trace = TraceContext(traceparent: nil, using: &random)
            #expect(trace.traceparent == "00-\(digits)\(digits)-\(digits)-00")
        }
    }
}
