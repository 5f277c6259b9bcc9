import Testing

@testable import KeyStore

@Suite("Commands that print key-encryption keys")
struct KeyCommandTests {
    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test("What a command prints is the key, with or without a line end, or several keys")
    func prints() throws {
        let key = try KeyCommand.run("echo \(Self.digits)")
        #expect(key.count == 1)
        #expect(try KeyCommand.run("printf %s \(Self.digits)").map(\.id) == key.map(\.id))
        #expect(try KeyCommand.run("echo \(Self.digits); echo \(Self.digits)").count == 2)
        let source = KeyEncryptionKeySource.command("echo \(Self.digits)")
        #expect(try source.keys(inFolder: "", mayCreate: true).map(\.id) == key.map(\.id))
    }

    @Test("It has a shell, no standard input, and may itself start others")
    func shell() throws {
        #expect(try KeyCommand.run("cat; x=\(Self.digits); echo $x | cat").count == 1)
    }

    @Test(
        "A command that fails gives no key, and the error has nothing of what it printed",
        arguments: [
            ("echo \(digits); exit 3", KeyStoreError.Code.unavailable),
            ("echo secret-digits", .malformedKEK), ("true", .malformedKEK), ("kill -9 $$", .unavailable),
            ("/no/such/program", .unavailable), ("yes \(digits)", .unavailable), ("cat /dev/zero", .unavailable),
        ]
    )
    func fails(_ command: String, _ code: KeyStoreError.Code) {
        do throws(KeyStoreError) {
            _ = try KeyCommand.run(command)
            Issue.record("a key came of \(command)")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(!"\(error)".contains("secret-digits"))
            #expect(!"\(error)".contains(Self.digits))
        }
    }

    @Test("A command that does not end is ended, with all that it has started")
    func hangs() {
        let error = #expect(throws: KeyStoreError.self) {
            try KeyCommand.run("sleep 600 & sleep 600", patience: 1)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.reason == "it took longer than 1 seconds")
    }
}
