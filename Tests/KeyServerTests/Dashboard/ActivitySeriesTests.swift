import Testing

@testable import KeyServer

@Suite("Time series of activity")
struct ActivitySeriesTests {
    @Test("Slots are separated by time, and are returned oldest first without the current one")
    func slots() {
        var series = ActivitySeries(step: 10, count: 7)
        series.add(.issued, microseconds: 100, at: 1_000)
        series.add(.retried, microseconds: 100, at: 1_009)
        series.add(.refused, microseconds: nil, at: 1_010)
        series.add(.failed, microseconds: nil, at: 1_030)
        let (start, slots) = series.slots(4, before: 1_032)
        #expect(start == 990)
        #expect(slots.map(\.issued) == [0, 2, 0, 0])
        #expect(slots.map { $0.count(.refused) } == [0, 0, 1, 0])
        #expect(slots[1].latency.total == 2)
        #expect(series.slot(at: 1_039).count(.failed) == 1)
    }

    @Test("The ring buffer drops older slots, and ignores older times")
    func ring() {
        var series = ActivitySeries(step: 1, count: 5)
        series.add(.issued, microseconds: 7, at: 100)
        series.add(.refused, microseconds: nil, at: 105)
        #expect(series.slot(at: 100) == ActivitySeries.Slot())
        #expect(series.slot(at: 105).issued == 0)
        // A later time has taken the slot.
        series.add(.issued, microseconds: 7, at: 100)
        #expect(series.slot(at: 105).issued == 0)
        #expect(series.slots(50, before: 106).slots.count == 4)
    }

    @Test("Counts include the last hour, and keys beyond the capacity are combined")
    func tallies() {
        var tallies = ActivityCounts(other: "other")
        tallies.add("a", at: 60)
        tallies.add("a", at: 3_599)
        tallies.add("b", at: 3_600)
        #expect(tallies.sum(minutes: 60, at: 3_600) == ["a": 2, "b": 1])
        #expect(tallies.sum(minutes: 60, at: 3_660) == ["a": 1, "b": 1])
        #expect(tallies.sum(minutes: 1, at: 3_601) == ["b": 1])
        for number in 0..<1_000 { tallies.add("\(number)", at: 7_200) }
        let sum = tallies.sum(minutes: 1, at: 7_200)
        #expect(sum.count == ActivityCounts<String>.capacity + 1)
        #expect(sum["other"] == 1_000 - ActivityCounts<String>.capacity)
    }

    @Test("Only the newest items are kept, newest first")
    func recent() {
        var items = RingBuffer<Int>(capacity: 3)
        #expect(items.newest(3).isEmpty)
        for number in 1...5 { items.append(number) }
        #expect(items.newest(10) == [5, 4, 3])
        #expect(items.newest(1) == [5])
        #expect(items.count == 5)
    }

    @Test("Activity is counted by second, ten seconds and minute, by cause and by client")
    func activity() {
        let activity = Activity()
        let phone = ActivityEvent.Client(kind: "appleMobile", system: 17, level: "main")
        for second in 0..<30 {
            activity.note(
                ActivityEvent(
                    milliseconds: Int64(7_200 + second) * 1_000,
                    route: "/fps/license",
                    outcome: second < 20 ? .issued : .refused,
                    reason: second < 20 ? nil : "airplay-denied",
                    microseconds: 1_000,
                    client: phone
                )
            )
        }
        activity.shed(at: 7_229)
        let minutes = activity.snapshot(.minutes, at: 7_230)
        #expect(minutes.slots.count == 300)
        #expect(
            minutes.slots.suffix(30).map(\.issued) == Array(repeating: 1, count: 20) + Array(repeating: 0, count: 10)
        )
        #expect(minutes.slots.last?.count(.failed) == 1)
        #expect(activity.snapshot(.hour, at: 7_230).slots.suffix(3).map(\.issued) == [10, 10, 0])
        #expect(activity.snapshot(.day, at: 7_260).slots.last?.issued == 20)
        #expect(minutes.causes[Activity.Cause(outcome: .refused, reason: "airplay-denied")] == 10)
        #expect(minutes.causes[Activity.Cause(outcome: .failed, reason: "overloaded")] == 1)
        #expect(minutes.clients == [phone: 30])
        #expect(minutes.recent.count == 30)
        let (slot, new, count) = activity.second(7_229, after: 28, limit: 10)
        #expect(slot.count(.refused) == 1)
        #expect(new.map(\.milliseconds) == [7_229_000, 7_228_000])
        #expect(count == 30)
    }
}
