import Testing

@testable import StreamOrigin

@Suite("Limits of connections")
struct ConnectionCounterTests {
    @Test("Connections are limited in total and by address, and counted until they close")
    func limits() {
        var limits = ConnectionLimits()
        (limits.connections, limits.connectionsPerAddress) = (3, 2)
        let counter = ConnectionCounter(limits: limits, metrics: OriginMetrics())
        let (first, second) = (ConnectionCounter.key("192.0.2.1"), ConnectionCounter.key("192.0.2.2"))
        #expect(counter.open(first) && counter.open(first))
        #expect(!counter.open(first))
        #expect(counter.open(second))
        #expect(!counter.open(nil))
        #expect(counter.count == 3)
        counter.close(first)
        #expect(counter.open(first))
    }

    @Test("IPv6 clients are counted by their network, and loopback addresses are not")
    func keys() {
        #expect(ConnectionCounter.key("2001:db8::1") == ConnectionCounter.key("2001:db8::ffff:1"))
        #expect(ConnectionCounter.key("2001:db8::1") != ConnectionCounter.key("2001:db8:0:1::1"))
        #expect(ConnectionCounter.key("::ffff:192.0.2.1") == ConnectionCounter.key("192.0.2.1"))
        for address in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "unix"] {
            #expect(ConnectionCounter.key(address) == nil)
        }
    }
}
