import FPSCrypto
import Glibc
import Testing

@testable import KeyStore

@Suite("Key-encryption keys")
struct KeyEncryptionKeyTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/kek" }

    @Test("A created key can be loaded from its file, which other users cannot read")
    func createAndLoad() throws {
        #expect(try KeyEncryptionKey.load(file: path) == nil)
        let key = try KeyEncryptionKey.create(file: path)
        #expect(try KeyEncryptionKey.load(file: path)?.id == key.id)
        #expect(permissions(of: path) == 0o600)
        #expect(folder.names == ["kek"])
    }

    @Test("An existing key is never overwritten")
    func neverOverwritten() throws {
        let key = try KeyEncryptionKey.create(file: path)
        #expect(throws: KeyStoreError(.conflict, place: "")) { try KeyEncryptionKey.create(file: path) }
        #expect(try KeyEncryptionKey.load(file: path)?.id == key.id)
        #expect(folder.names == ["kek"])
    }

    @Test("A file that other users can read or write is rejected", arguments: [0o604, 0o620, 0o602, 0o610, 0o601])
    func loosePermissions(_ mode: Int) throws {
        _ = try KeyEncryptionKey.create(file: path)
        #expect(chmod(path, mode_t(mode)) == 0)
        #expect(throws: KeyStoreError(.unsafePermissions, place: "")) { try KeyEncryptionKey.load(file: path) }
    }

    @Test("A folder and a pipe are not key files")
    func notAFile() throws {
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for other in [folder.path, pipe] {
            #expect(throws: KeyStoreError(.unsafePermissions, place: "")) { try KeyEncryptionKey.load(file: other) }
        }
    }

    @Test("A symbolic link to the key is followed, and preserved when another key is installed")
    func link() throws {
        let link = folder.path + "/link"
        #expect(symlink("kek", link) == 0)
        let previous = try KeyEncryptionKey.create(file: link)
        #expect(try KeyEncryptionKey.load(file: path)?.id == previous.id)
        let key = try KeyEncryptionKey.generate()
        let kept = try #require(try key.install(file: link))
        #expect(try KeyEncryptionKey.load(file: path)?.id == key.id)
        #expect(try KeyEncryptionKey.load(file: kept)?.id == previous.id)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test("Installing a key preserves the mode and the owner of the file that it replaces")
    func modeAndOwner() throws {
        _ = try KeyEncryptionKey.create(file: path)
        #expect(chmod(path, 0o400) == 0)
        if geteuid() == 0 { #expect(chown(path, 0, 1234) == 0 && chmod(path, 0o440) == 0) }
        var (before, after) = (stat(), stat())
        #expect(stat(path, &before) == 0)
        try KeyEncryptionKey.generate().install(file: path)
        #expect(stat(path, &after) == 0)
        #expect(after.st_ino != before.st_ino)
        #expect(
            (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
        )
    }

    @Test(
        "Anything but 64 hexadecimal digits is rejected, and the error does not repeat it",
        arguments: [
            "", "00", String(repeating: "a", count: 63), String(repeating: "a", count: 65),
            String(repeating: "a", count: 63) + "g", String(repeating: "a", count: 64) + "\n\n",
            String(repeating: "secret-z", count: 8), String(repeating: "a", count: 4_096),
        ]
    )
    func malformed(_ text: String) throws {
        folder.write(text, to: "kek")
        do {
            _ = try KeyEncryptionKey.load(file: path)
            Issue.record("a malformed key was accepted")
        } catch {
            #expect(error.code == .malformedKEK)
            #expect(!"\(error)".contains("secret-z"))
        }
    }

    @Test("Digits may be uppercase or lowercase, with an optional newline")
    func digits() throws {
        let small = String(repeating: "0123456789abcdef", count: 4)
        folder.write(small, to: "kek")
        let id = try KeyEncryptionKey.load(file: path)?.id
        folder.write(small.uppercased() + "\n", to: "kek")
        #expect(try KeyEncryptionKey.load(file: path)?.id == id)
        #expect(try KeyEncryptionKey(SecretBytes(copying: bytes(small))).id == id)
    }

    // Setting a variable is not safe while other tests read theirs, so this test uses variables that every process has
    // or lacks.
    @Test("An environment variable is read like a file, and may be missing")
    func environment() throws {
        let missing = try KeyEncryptionKey.fromEnvironment("KEYWAY_NO_SUCH_VARIABLE")
        #expect(missing.isEmpty)
        #expect(throws: KeyStoreError(.malformedKEK, place: "")) { try KeyEncryptionKey.fromEnvironment("PATH") }
    }

    @Test("A file may contain several keys for a rotation, at most eight")
    func several() throws {
        let keys = try (0..<9).map { _ in try KeyEncryptionKey.generate() }
        let lines = keys.map { String(decoding: $0.hexadecimal.reveal(), as: UTF8.self) }
        folder.write(lines.prefix(8).joined(), to: "kek")
        let source = KeyEncryptionKeySource.file(path)
        let read = try source.keys(inFolder: folder.path, mayCreate: false)
        #expect(read.map(\.id) == keys.prefix(8).map(\.id))
        #expect(throws: KeyStoreError(.malformedKEK, place: "")) { try KeyEncryptionKey.load(file: path) }
        folder.write(lines.joined(), to: "kek")
        #expect(throws: KeyStoreError(.malformedKEK, place: "")) {
            try source.keys(inFolder: folder.path, mayCreate: false)
        }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
