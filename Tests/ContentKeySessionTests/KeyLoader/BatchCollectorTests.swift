import Testing

@testable import ContentKeySession

@Suite("A batch collector")
struct BatchCollectorTests {
    private func sent(_ actions: [BatchCollector<Int>.Action]) -> [[Int]] {
        actions.flatMap { action -> [[Int]] in
            guard case .send(let batches) = action else { return [] }
            return batches
        }
    }

    private func timer(_ actions: [BatchCollector<Int>.Action]) -> Int? {
        for case .startTimer(let number) in actions { return number }
        return nil
    }

    @Test("starts one timer for consecutive announcements")
    func announcing() {
        var collector = BatchCollector<Int>(maximum: 10)
        #expect(timer(collector.announce(["a"])) == 1)
        #expect(timer(collector.announce(["b"])) == nil)
        #expect(collector.announce([]).isEmpty)
        #expect(collector.expects("a") && collector.expects("b") && !collector.expects("c"))
    }

    @Test("sends a request at once and alone if no other is expected")
    func alone() {
        var collector = BatchCollector<Int>(maximum: 10)
        #expect(sent(collector.arrived(1, for: "a")) == [[1]])
    }

    @Test("sends all waiting requests with an unexpected request")
    func along() {
        var collector = BatchCollector<Int>(maximum: 10)
        _ = collector.announce(["a", "b"])
        #expect(collector.arrived(1, for: "a").isEmpty)
        #expect(sent(collector.arrived(2, for: "x")) == [[1, 2]])
        #expect(sent(collector.arrived(3, for: "b")) == [[3]])
    }

    @Test("sends all requests with the last expected one, in batches of at most the maximum")
    func last() {
        var collector = BatchCollector<Int>(maximum: 2)
        _ = collector.announce(["a", "b", "c"])
        #expect(collector.arrived(1, for: "a").isEmpty)
        #expect(collector.arrived(2, for: "b").isEmpty)
        #expect(sent(collector.arrived(3, for: "c")) == [[1, 2], [3]])
    }

    @Test("sends waiting requests if one of their keys is needed now or becomes needed")
    func awaited() {
        var collector = BatchCollector<Int>(maximum: 10)
        _ = collector.announce(["a", "b", "c"])
        #expect(collector.arrived(1, for: "a").isEmpty)
        #expect(collector.awaited { $0 == 7 }.isEmpty)
        #expect(sent(collector.awaited { $0 == 1 }) == [[1]])
        #expect(collector.awaited { $0 == 1 }.isEmpty)
        #expect(sent(collector.arrived(2, for: "b", isAwaited: true)) == [[2]])
        #expect(sent(collector.arrived(3, for: "c")) == [[3]])
    }

    @Test("sends all requests when the last announcement is withdrawn")
    func withdrawing() {
        var collector = BatchCollector<Int>(maximum: 10)
        _ = collector.announce(["a", "b"])
        #expect(collector.arrived(1, for: "a").isEmpty)
        #expect(sent(collector.withdraw(["b"])) == [[1]])
        #expect(collector.withdraw(["b"]).isEmpty)
    }

    @Test("sends waiting requests when the timer expires, and then expects no more")
    func timing() throws {
        var collector = BatchCollector<Int>(maximum: 10)
        let number = try #require(timer(collector.announce(["a", "b"])))
        _ = collector.arrived(1, for: "a")
        #expect(collector.stillExpected(number) == ["b"])
        #expect(sent(collector.timerEnded(number)) == [[1]])
        #expect(collector.timerEnded(number).isEmpty)
        #expect(!collector.expects("b"))
        #expect(sent(collector.arrived(2, for: "b")) == [[2]])
    }

    @Test("ignores a timer of requests that were already sent")
    func oldTimer() throws {
        var collector = BatchCollector<Int>(maximum: 10)
        let first = try #require(timer(collector.announce(["a"])))
        #expect(sent(collector.arrived(1, for: "a")) == [[1]])
        let second = try #require(timer(collector.announce(["b", "c"])))
        #expect(collector.arrived(2, for: "b").isEmpty)
        #expect(collector.timerEnded(first).isEmpty)
        #expect(sent(collector.timerEnded(second)) == [[2]])
    }
}

@Suite("A certificate cache")
struct CertificateCacheTests {
    @Test("fetches once, lets other requests wait, caches, and fetches again when the certificate has expired")
    func life() {
        var cache = CertificateCache(lifetime: .seconds(10))
        #expect(cache.step(now: .zero) == .fetch)
        #expect(cache.step(now: .zero) == .wait)
        cache.fetched([1], now: .seconds(1))
        #expect(cache.step(now: .seconds(10)) == .use([1]))
        #expect(cache.step(now: .seconds(11)) == .fetch)
        cache.fetched(nil, now: .seconds(12))
        #expect(cache.step(now: .seconds(12)) == .fetch)
    }

    @Test("removes the certificate that was not recognized, but not a newer one")
    func dropping() {
        var cache = CertificateCache(lifetime: .seconds(10))
        _ = cache.step(now: .zero)
        cache.fetched([2], now: .zero)
        cache.drop([1])
        #expect(cache.step(now: .zero) == .use([2]))
        cache.drop([2])
        #expect(cache.step(now: .zero) == .fetch)
    }

    @Test(
        "accepts as DER only bytes that end where the length specifies",
        arguments: [
            ([0x30, 2, 5, 0], true), ([0x30, 3, 5, 0], false), ([0x30, 0x81, 2, 5, 0], true),
            ([0x30, 0x82, 0, 2, 5, 0], true),
            ([0x30, 0x81, 3, 5, 0], false), ([0x30, 0x80, 0, 0], false), ([0x31, 2, 5, 0], false), ([], false),
            ([0x30, 0x84, 0, 0, 0, 0], false), (Array("<htm".utf8), false),
        ] as [([UInt8], Bool)]
    )
    func plausible(bytes: [UInt8], isPlausible: Bool) {
        #expect(CertificateCache.isPlausible(bytes) == isPlausible)
    }
}
