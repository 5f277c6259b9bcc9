import Testing

@testable import KeyServer

@Suite("Sessions of the dashboard")
struct DashboardSessionsTests {
    private let now = Switch<Int64>(1_000_000)

    private func sessions(_ change: (inout DashboardSessions.Limits) -> Void = { _ in }) -> DashboardSessions {
        var limits = DashboardSessions.Limits()
        change(&limits)
        return DashboardSessions(limits: limits, clock: { [now] in now.value * 1_000 })
    }

    @Test("A session ends without a user's requests; automatic updates do not extend it")
    func idle() {
        let sessions = sessions { $0.idle = 100 }
        let id = sessions.begin(tokenHash: [1])
        now.value += 99
        #expect(sessions.session(id: id[...], isUse: true)?.tokenHash == [1])
        now.value += 99
        #expect(sessions.session(id: id[...], isUse: false) != nil)
        now.value += 1
        #expect(sessions.session(id: id[...], isUse: false) == nil)
        #expect(sessions.session(id: id[...], isUse: true) == nil)
        #expect(sessions.count == 0)
    }

    @Test("A session ends after its lifetime, even if it is used")
    func lifetime() {
        let sessions = sessions {
            $0.idle = 100
            $0.lifetime = 250
        }
        let id = sessions.begin(tokenHash: [1])
        for _ in 0..<4 {
            now.value += 60
            #expect(sessions.session(id: id[...], isUse: true) != nil)
        }
        now.value += 10
        #expect(sessions.session(id: id[...], isUse: true) == nil)
    }

    @Test("The number of sessions is limited per token and in total: the least recently used is removed")
    func bounds() {
        let sessions = sessions {
            $0.perToken = 2
            $0.count = 3
        }
        let first = sessions.begin(tokenHash: [1])
        now.value += 1
        let second = sessions.begin(tokenHash: [1])
        now.value += 1
        #expect(sessions.session(id: first[...], isUse: true) != nil)
        let third = sessions.begin(tokenHash: [1])
        #expect(sessions.session(id: second[...], isUse: true) == nil)
        #expect(sessions.session(id: first[...], isUse: true) != nil)
        now.value += 1
        #expect(sessions.session(id: third[...], isUse: true) != nil)
        for token in UInt8(2)...9 { _ = sessions.begin(tokenHash: [token]) }
        #expect(sessions.count == 3)
    }

    @Test("Session IDs are long and unique, and other values are not accepted")
    func ids() {
        let sessions = sessions()
        let ids = (0..<10).map { _ in sessions.begin(tokenHash: [1]) }
        #expect(Set(ids).count == 10)
        #expect(ids.allSatisfy { $0.utf8.count == 64 })
        #expect(sessions.session(id: "", isUse: true) == nil)
        #expect(sessions.session(id: ids[0].uppercased()[...], isUse: true) == nil || ids[0] == ids[0].uppercased())
        sessions.end(id: ids[0][...])
        #expect(sessions.session(id: ids[0][...], isUse: true) == nil)
        #expect(sessions.session(id: ids[1][...], isUse: true) != nil)
        // The CSRF token belongs to one session, and does not reveal its ID.
        #expect(DashboardSessions.changeToken(id: ids[0]) == DashboardSessions.changeToken(id: ids[0][...]))
        #expect(DashboardSessions.changeToken(id: ids[0]) != DashboardSessions.changeToken(id: ids[1]))
        #expect(DashboardSessions.changeToken(id: ids[0]) != ids[0])
    }
}
