import Testing

@testable import KeyStore

@Suite("Commands that print key-encryption keys")
struct KeyCommandTests {
    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test("The output of a command is a key, with or without a newline, or several keys")
    func prints() throws {
        let key = try KeyCommand.run("echo \(Self.digits)")
        #expect(key.count == 1)
        #expect(try KeyCommand.run("printf %s \(Self.digits)").map(\.id) == key.map(\.id))
        #expect(try KeyCommand.run("echo \(Self.digits); echo \(Self.digits)").count == 2)
        let source = KeyEncryptionKeySource.command("echo \(Self.digits)")
        #expect(try source.keys(inFolder: "", mayCreate: true).map(\.id) == key.map(\.id))
    }

    @Test("It runs in a shell, without standard input, and may start other processes")
    func shell() throws {
        #expect(try KeyCommand.run("cat; x=\(Self.digits); echo $x | cat").count == 1)
    }

    @Test(
        "A command that fails returns no key, and the error contains nothing of its output",
        arguments: [
            ("echo \(digits); exit 3", KeyStoreError.Code.unavailable),
            ("echo secret-digits", .malformedKEK), ("true", .malformedKEK), ("kill -9 $$", .unavailable),
            ("/no/such/program", .unavailable), ("yes \(digits)", .unavailable), ("cat /dev/zero", .unavailable),
        ]
    )
    func fails(_ command: String, _ code: KeyStoreError.Code) {
        do throws(KeyStoreError) {
            _ = try KeyCommand.run(command)
            Issue.record("\(command) returned a key")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(!"\(error)".contains("secret-digits"))
            #expect(!"\(error)".contains(Self.digits))
        }
    }

    @Test("A command that does not exit is killed with all its child processes")
    func hangs() {
        let error = #expect(throws: KeyStoreError.self) {
            try KeyCommand.run("sleep 600 & sleep 600", timeout: 1)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.reason == "it took longer than 1 second")
    }
}
