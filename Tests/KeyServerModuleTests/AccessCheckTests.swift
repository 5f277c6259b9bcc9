import KeyServerModule
import Testing

@Suite("Networks and web origins")
struct AccessCheckTests {
    @Test(
        "Networks are parsed and formatted",
        arguments: [
            ("192.0.2.0/24", "192.0.2.0/24"), ("192.0.2.1", "192.0.2.1/32"), ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:DB8::/32", "2001:db8::/32"), ("::1", "::1/128"), ("::/0", "::/0"), ("10.0.0.0/9", "10.0.0.0/9"),
            ("2001:db8:0:0:8000::/65", "2001:db8:0:0:8000::/65"),
        ]
    )
    func networks(text: String, written: String) throws {
        let network = try #require(IPNetwork(rawValue: text))
        #expect(network.rawValue == written)
        #expect(IPNetwork(rawValue: written) == network)
        #expect(network.contains(network))
    }

    @Test(
        "Other texts are not valid networks",
        arguments: [
            "", "/", "/8", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/024", "192.0.2.0/+8", "192.0.2.0/-1",
            "192.0.2.1/24",
            "192.0.2", "192.0.2.0.0", "192.0.2.256", "192.000.2.0", " 192.0.2.0", "192.0.2.0\u{0}", "192.0.2.0/8/8",
            "2001:db8::/129", "2001:db8::1/32", "2001:db8::1::", "fe80::1%eth0", "::ffff:192.0.2.1", "localhost",
            "::ffff:0:0/96", String(repeating: "1", count: 100_000),
        ]
    )
    func notNetworks(text: String) { #expect(IPNetwork(rawValue: text) == nil) }

    @Test("A network contains its addresses in every text form")
    func contains() throws {
        let network = try #require(IPNetwork(rawValue: "192.0.2.128/25"))
        for address in ["192.0.2.128", "192.0.2.255", "::ffff:192.0.2.200", "::ffff:c000:02c8"] {
            #expect(network.contains(address))
        }
        for address in ["192.0.2.127", "192.0.3.0", "::ffff:192.0.2.1", "::192.0.2.200", "", "192.0.2.200\u{0}", "x"] {
            #expect(!network.contains(address))
        }
        let link = try #require(IPNetwork(rawValue: "fe80::/10"))
        #expect(link.contains("fe80::1%eth0"))
        #expect(!link.contains("fec0::1"))
        let all = try #require(IPNetwork(rawValue: "::/0"))
        #expect(!all.contains("::ffff:192.0.2.1"))
    }

    @Test(
        "Origins that browsers send are valid",
        arguments: [
            "https://play.example.com", "http://localhost:8080", "http://127.0.0.1:8000",
            "http://[::1]:8080", "https://[2001:db8::1]", "capacitor://localhost", "http://a:443", "https://a:80",
        ]
    )
    func origins(text: String) {
        #expect(WebOrigin(rawValue: text)?.rawValue == text)
    }

    @Test(
        "Other texts are not valid origins",
        arguments: [
            "", "*", "null", "play.example.com", "https:", "https://", "https://a/", "https://a/b", "https://A",
            "HTTPS://a", "https://a:443", "http://a:80", "https://a:0", "https://a:", "https://a:65536", "https://a:08",
            "https://u@a", "https://a?b", "https://[::1", "https://[a]", "https://[::1]a", "https://[127.0.0.1]",
            "https://a b", "https://ä.example", "1a://b", "://a", "https://[::1]:443",
            "https://" + String(repeating: "a", count: 300),
        ]
    )
    func notOrigins(text: String) { #expect(WebOrigin(rawValue: text) == nil) }
}
