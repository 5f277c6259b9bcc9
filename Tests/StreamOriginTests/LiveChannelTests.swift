import Testing

@testable import StreamOrigin

@Suite("Requests that wait", .timeLimit(.minutes(10)))
struct LiveChannelTests {
    private let channel = LiveChannel(name: "channel", memoryLimit: 1000)

    private func publish(_ segments: Int, _ parts: Int) throws {
        let text = Array(LiveWindow().text(segments: segments, parts: parts).utf8)
        let playlist = try channel.prepare(text, at: "channel/media.m3u8", now: .zero)
        channel.update { $0.publish(playlist, []) }
    }

    /// Starts a wait for a part, and returns when it waits.
    private func wait(_ number: UInt64, _ part: UInt64) async -> Task<String, Never> {
        let before = channel.waiting
        let task = Task { [channel] in
            let directives = DeliveryDirectives(mediaSequenceNumber: number, part: part)
            let outcome = await channel.value(until: .seconds(6)) { state -> Int? in
                guard let index = state.playlists["channel/media.m3u8"]?.index else { return nil }
                return index.availability(directives) == .wait ? nil : index.openParts
            }
            return switch outcome {
            case .value(let parts): "parts \(parts)"
            case .expired: "expired"
            case .ended: "ended"
            }
        }
        while channel.waiting == before { await Task.yield() }
        return task
    }

    @Test("A request is answered by the version that it waits for")
    func answered() async throws {
        try publish(10, 1)
        let task = await wait(10, 2)
        try publish(10, 2)
        #expect(channel.waiting == 1)
        try publish(10, 3)
        #expect(await task.value == "parts 3")
        #expect(channel.waiting == 0)
    }

    @Test("A request ends at its deadline")
    func expired() async throws {
        try publish(10, 1)
        let task = await wait(10, 2)
        channel.expire(now: .milliseconds(5999))
        #expect(channel.waiting == 1)
        channel.expire(now: .seconds(6))
        #expect(await task.value == "expired")
    }

    @Test("A shutdown and a cancellation end requests")
    func ended() async throws {
        try publish(10, 1)
        let cancelled = await wait(10, 2)
        cancelled.cancel()
        #expect(await cancelled.value == "ended")
        let waiting = await wait(10, 2)
        channel.close()
        #expect(await waiting.value == "ended")
        let late = await channel.value(until: .seconds(6)) { _ -> Int? in nil }
        if case .ended = late {} else { Issue.record("a wait began after the shutdown") }
    }

    @Test("A channel that is removed ends its requests")
    func removed() async throws {
        let channels = LiveChannels(memoryLimit: 1000, maximum: 1)
        let channel = try #require(channels.channel(creating: "a"))
        #expect(channels.channel(creating: "b") == nil)
        let task = Task { await channel.value(until: .seconds(6)) { _ -> Int? in nil } }
        while channel.waiting == 0 { await Task.yield() }
        channels.remove("a")
        if case .ended = await task.value {} else { Issue.record("the wait did not end") }
    }
}
