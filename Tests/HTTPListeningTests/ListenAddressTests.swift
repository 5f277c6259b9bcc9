import HTTPListening
import Testing

@Suite("Addresses to listen on")
struct ListenAddressTests {
    @Test(
        "Hosts, IPv4 and IPv6 addresses with a port are parsed, and written as before",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0),
            ("[::1]:443", "::1", 443), ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
            ("origin-1.example.com:65535", "origin-1.example.com", 65535),
        ]
    )
    func parsed(text: String, host: String, port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "8080", ":8080", "a:", "a:65536", "a:-1", "a:+80", "a: 80", "a:8 0", "a:80 ", "::1:80", "[]:80",
            "[::1]",
            "[::1]80", "[::1:80", "::1]:80", "[a]:80", "[[::1]]:80", "a/b:80", "http://a:80", "u@a:80", "a b:80",
            "a\0:80",
            "ä:80", "a:٨٠",
        ]
    )
    func refused(text: String) { #expect(ListenAddress(text) == nil) }

    @Test("Loopback addresses are recognized, and URLs have brackets")
    func loopback() throws {
        for text in ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"] {
            #expect(ListenAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1"] {
            #expect(ListenAddress(text)?.isLoopback == false, "\(text)")
        }
        #expect(ListenAddress("[::1]:0")?.url(port: 443, isSecure: true) == "https://[::1]:443")
    }
}
