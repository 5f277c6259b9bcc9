import Glibc
import Testing

@testable import HTTPListening

@Suite("A port that cannot be opened")
struct ListenFailureTests {
    @Test(
        "is named, with what to do",
        arguments: [
            (EADDRINUSE, "[::1]:8080 is in use: stop the process that listens on it", "with --listen"),
            (EACCES, "[::1]:8080: this user is not permitted to listen on port 8080", "CAP_NET_BIND_SERVICE"),
            (EADDRNOTAVAIL, "[::1]:8080 is not an address of this machine", "with --listen"),
        ]
    )
    func words(code: Int32, beginning: String, end: String) throws {
        let address = try #require(ListenAddress("[::1]:8080"))
        let failure = try #require(ListenFailure(code, address: address, setting: "--listen"))
        #expect(failure.description.hasPrefix(beginning))
        #expect(failure.description.hasSuffix(end))
    }

    @Test("Other errors are unchanged")
    func others() throws {
        let address = try #require(ListenAddress("127.0.0.1:1"))
        #expect(ListenFailure(EMFILE, address: address, setting: "--listen") == nil)
    }
}
