import Foundation
import Testing

@testable import FPSCrypto

@Suite("Files with a secret")
struct SecretFileTests {
    private let path = NSTemporaryDirectory() + "/secret-\(UUID().uuidString)"

    private func write(_ bytes: [UInt8], mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func failure(_ path: String, limit: Int = 4) -> SecretFileError? {
        do throws(SecretFileError) {
            _ = try SecretFile.read(path, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test("The content comes as it is, up to the limit")
    func sizes() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try SecretFile.readIfPresent(path, limit: 4) == nil)
        #expect(failure(path) == SecretFileError(path, .missing))
        for bytes in [[], [1], [0x0A], [1, 2, 3, 0x0A]] as [[UInt8]] {
            try write(bytes)
            #expect(try SecretFile.read(path, limit: 4).reveal() == bytes)
        }
        for count in [5, 6, 100_000] {
            try write([UInt8](repeating: 1, count: count))
            #expect(failure(path) == SecretFileError(path, .tooLong(limit: 4)))
        }
    }

    @Test("Text comes without the line breaks at its end, and is not empty")
    func text() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (text, expected) in [("a", "a"), ("a\n", "a"), ("a b\r\n", "a b"), ("a\n\n\n", "a"), ("a\nb\n", "a\nb")] {
            try write(Array(text.utf8))
            #expect(try SecretFile.readText(path).reveal() == Array(expected.utf8))
        }
        for text in ["", "\n", "\r\n\n"] {
            try write(Array(text.utf8))
            #expect(throws: SecretFileError(path, .empty)) { try SecretFile.readText(path) }
        }
    }

    @Test("Owner and mode are judged as one", arguments: [0, 1000] as [UInt32])
    func rule(user: UInt32) {
        let own: [UInt32: Bool] = [0o600: true, 0o400: true, 0o700: true, 0o640: user == 0, 0o440: user == 0]
        for (mode, isFine) in own {
            #expect((SecretFile.problem(mode: mode, owner: user, user: user) == nil) == isFine, "0\(mode)")
        }
        for mode in [0o400, 0o440, 0o600, 0o640] as [UInt32] {
            #expect(SecretFile.problem(mode: mode, owner: 0, user: user) == nil)
            #expect(SecretFile.problem(mode: mode, owner: 33, user: user) == .owner(33, user: user))
        }
        for mode in [0o604, 0o602, 0o601, 0o644, 0o660, 0o650, 0o620, 0o777] as [UInt32] {
            for owner in [user, 0] {
                let problem = SecretFileError.Problem.mode(mode, isOwn: owner == user)
                #expect(SecretFile.problem(mode: mode, owner: owner, user: user) == problem)
            }
        }
    }

    @Test("A file that others may read or change is refused, and the error says what to type")
    func permissions() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for loose in [0o604, 0o620, 0o610, 0o644, 0o777] {
            try write(Array("hush".utf8), mode: loose)
            let error = failure(path)
            #expect(error?.remedy == "chmod 600 \(path)")
            #expect(error?.description.hasPrefix(path) == true && error?.description.contains("hush") == false)
        }
        try write([1])
        #expect(failure(path) == nil)
    }

    @Test("A file of another user is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func owner() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write([1])
        try #require(chown(path, 1234, 1234) == 0)
        #expect(failure(path) == SecretFileError(path, .owner(1234, user: 0)))
        #expect(failure(path)?.remedy == "chown 0 \(path)")
    }

    @Test("A symbolic link is followed, and the rule is applied to the file that it leads to")
    func links() throws {
        let link = path + ".link"
        defer { for name in [path, link] { try? FileManager.default.removeItem(atPath: name) } }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(failure(link) == SecretFileError(link, .missing))
        try write([1])
        #expect(try SecretFile.read(link).reveal() == [1])
        try write([1], mode: 0o644)
        #expect(failure(link)?.remedy?.hasSuffix(link) == true)
    }

    @Test("A folder, a pipe, a device and a socket are refused, and none of them is waited for")
    func notRegular() throws {
        #expect(failure(NSTemporaryDirectory()) == SecretFileError(NSTemporaryDirectory(), .notRegular))
        let pipe = path + ".pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        #expect(failure(pipe) == SecretFileError(pipe, .notRegular))
        #expect(failure("/dev/zero") == SecretFileError("/dev/zero", .notRegular))
    }
}
