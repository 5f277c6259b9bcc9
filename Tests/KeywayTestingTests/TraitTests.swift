import ContentKeySession
import KeywayTesting
import KeywayTestingTraits
import Testing

@Suite("The trait .keyServer", .timeLimit(.minutes(10)))
struct TraitTests {
    @Test("A test has a server with its own policy", .keyServer { $0.policy = .lease(.seconds(600)) })
    func policy() async throws {
        let key = try await TestKeyServer.current.makeClient().key(for: "skd://movie")
        #expect(key.protectedKey?.leaseRemaining == .seconds(600))
    }

    @Suite("On a suite", .keyServer)
    struct OnASuite {
        @Test("Each test and each argument has its own server", arguments: 1...3)
        func separate(_ number: Int) async throws {
            #expect(TestKeyServer.current.requests.isEmpty)
            try await TestKeyServer.current.makeClient().play("skd://movie/\(number)")
            #expect(TestKeyServer.current.requestCount(on: .license) == 1)
        }

        @Test("A trait of a test comes after the trait of its suite", .keyServer { $0.removeContent("movie") })
        func nested() async throws {
            await #expect(throws: KeyFailure.self) {
                try await TestKeyServer.current.makeClient().key(for: "skd://movie")
            }
        }
    }

    @Test("Without the trait there is no current server, and an issue says what to write")
    func missing() {
        withKnownIssue {
            _ = TestKeyServer.current
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("@Test(.keyServer)") }
        }
    }
}
