import NIOCore
import Testing
import TextCoding

@testable import KeyServer

@Suite("Events for the pages", .timeLimit(.minutes(10)))
struct EventBroadcasterTests {
    private let time = {
        var time = ServerTime()
        time.milliseconds = { 101_500 }
        return time
    }()

    private func event(_ number: Int) -> ByteBuffer { ServerSentEvent.encode("n", .integer(number)) }

    private func all(_ subscription: EventBroadcaster.Subscription) async -> [String] {
        var found: [String] = []
        for await event in subscription.events { found.append(String(buffer: event)) }
        return found
    }

    @Test("All listeners get the same events in order, from the time of their subscription")
    func order() async throws {
        let events = EventBroadcaster()
        let first = try #require(events.subscribe())
        events.send(event(1))
        let second = try #require(events.subscribe())
        events.send(event(2))
        events.stop()
        #expect(await all(first) == ["event: n\ndata: 1\n\n", "event: n\ndata: 2\n\n"])
        #expect(await all(second) == ["event: n\ndata: 2\n\n"])
        #expect(events.subscribe() == nil)
        #expect(events.count == 0)
    }

    @Test("A listener that does not read is disconnected, and does not delay others")
    func slow() async throws {
        let events = EventBroadcaster()
        let slow = try #require(events.subscribe())
        let quick = try #require(events.subscribe())
        var iterator = quick.events.makeAsyncIterator()
        for number in 0..<EventBroadcaster.buffered + 5 {
            events.send(event(number))
            #expect(await iterator.next() == event(number))
        }
        #expect(events.count == 1)
        #expect(await all(slow).count == EventBroadcaster.buffered)
    }

    @Test("The number of listeners is limited, and a disconnected listener frees capacity")
    func capacity() throws {
        let events = EventBroadcaster()
        let all = (0..<EventBroadcaster.capacity).compactMap { _ in events.subscribe() }
        #expect(all.count == EventBroadcaster.capacity)
        #expect(!events.hasCapacity)
        #expect(events.subscribe() == nil)
        events.unsubscribe(all[0])
        events.unsubscribe(all[0])
        #expect(events.count == EventBroadcaster.capacity - 1)
        #expect(events.subscribe() != nil)
    }

    @Test("A stream ends after a while, so that its session is checked again")
    func lifetime() async throws {
        let events = EventBroadcaster()
        let subscription = try #require(events.subscribe())
        var iterator = subscription.events.makeAsyncIterator()
        for number in 0..<EventBroadcaster.lifetime {
            events.send(event(number))
            #expect(await iterator.next() != nil)
        }
        #expect(await iterator.next() == nil)
        #expect(events.count == 0)
    }

    @Test("An event contains the activity of its second")
    func pulse() async throws {
        var sources = DashboardSources()
        sources.queueDepth = { 3 }
        let pulse = DashboardEventService(sources, time: time)
        sources.activity.note(
            ActivityEvent(milliseconds: 100_200, route: "/fps/license", outcome: .issued, microseconds: 1_000)
        )
        let (event, known) = pulse.event(after: 0, leases: 4)
        #expect(known == 1)
        let lines = String(buffer: event).split(separator: "\n")
        #expect(lines.first == "event: second")
        let data = try #require(lines.last?.dropFirst("data: ".count))
        guard case .object(let fields) = try JSONValue(parsing: Array(data.utf8)),
            case .object(let second)? = fields["second"], case .array(let recent)? = fields["recent"]
        else {
            Issue.record("no second")
            return
        }
        #expect(second["time"] == .integer(100))
        #expect(second["issued"] == .integer(1))
        #expect(fields["leases"] == .integer(4))
        #expect(fields["queue"] == .integer(3))
        #expect(recent.count == 1)
        #expect(fields["omitted"] == .integer(0))
        let (_, again) = pulse.event(after: known, leases: nil)
        #expect(again == 1)
    }

    @Test("An event lists a few requests, and the number of omitted ones")
    func omitted() throws {
        let sources = DashboardSources()
        let pulse = DashboardEventService(sources, time: time)
        for number in 0..<2_000 {
            sources.activity.note(
                ActivityEvent(milliseconds: 100_200, route: "/fps/license", outcome: .issued, account: "a\(number)")
            )
        }
        let (event, known) = pulse.event(after: 500, leases: nil)
        #expect(known == 2_000)
        #expect(event.readableBytes < 4_096)
        let data = try #require(String(buffer: event).split(separator: "\n").last?.dropFirst("data: ".count))
        guard case .object(let fields) = try JSONValue(parsing: Array(data.utf8)),
            case .array(let recent)? = fields["recent"], case .object(let newest)? = recent.first
        else {
            Issue.record("no list")
            return
        }
        #expect(recent.count == DashboardEventService.shown)
        #expect(newest["account"] == .string("a1999"))
        #expect(fields["omitted"] == .integer(1_500 - DashboardEventService.shown))
    }

    @Test("Over HTTP a stream requires a token, and its events arrive when they are sent")
    func stream() async throws {
        try await LicenseServer.run { server in
            let events = server.application.parts.events
            let sending = Task {
                // Send events to every listener; the client below stops after an event.
                while !Task.isCancelled {
                    events.send(ServerSentEvent.encode("n", .integer(7)))
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            defer { sending.cancel() }
            let text = try await SocketClient.run(port: server.adminPort) { client in
                client.send(
                    "GET /admin/activity/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(LicenseServer.token)\r\n\r\n"
                )
                return client.read(until: "data: 7\n\n")
            }
            #expect(text.contains("HTTP/1.1 200"))
            #expect(text.lowercased().contains("content-type: text/event-stream"))
            #expect(text.contains("retry: "))
            #expect(text.contains("event: n\ndata: 7\n\n"))
        }
    }
}
