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

    private func failure(_ path: String) -> SecretFile.Failure? {
        do throws(SecretFile.Failure) {
            _ = try SecretFile.read(path, limit: 4)
            return nil
        } catch {
            return error
        }
    }

    @Test("What is there comes whole; of more than the limit one byte more, so that it is noticed")
    func sizes() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try SecretFile.read(path, limit: 4) == nil)
        for (bytes, count) in [([], 0), ([1], 1), ([1, 2, 3, 4], 4), ([1, 2, 3, 4, 5], 5), ([1, 2, 3, 4, 5, 6], 5)] {
            try write(bytes.map { UInt8($0) })
            #expect(try SecretFile.read(path, limit: 4)?.count == count)
        }
    }

    @Test("A file that others may touch, a link, a folder and a pipe are refused")
    func permissions() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for mode in [0o640, 0o604, 0o620, 0o610, 0o777] {
            try write([1], mode: mode)
            #expect(failure(path) == .unsafePermissions)
        }
        try write([1])
        #expect(failure(path) == nil)
        let link = path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(failure(link) == .system(call: "open", number: ELOOP))
        #expect(failure(NSTemporaryDirectory()) == .unsafePermissions)
        let pipe = path + ".pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        #expect(failure(pipe) == .unsafePermissions)
    }
}
