import FileWriting
import Foundation
import Testing

@Suite("Durability")
struct DurabilityTests {
    @Test("A file and a folder are flushed to the disk; a closed descriptor is an error")
    func synchronizes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("durability-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = open(folder + "/file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        #expect(write(file, "text", 4) == 4)
        #expect(Durability.synchronize(file) == 0)
        #expect(Durability.synchronizeContent(file) == 0)
        close(file)
        let names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(names >= 0)
        #expect(Durability.synchronize(names) == 0)
        close(names)
        #expect(Durability.synchronize(-1) == -1 && errno == EBADF)
        #expect(Durability.synchronizeContent(-1) == -1 && errno == EBADF)
    }
}
