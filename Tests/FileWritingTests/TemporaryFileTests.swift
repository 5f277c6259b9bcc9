import Foundation
import Testing

@testable import FileWriting

@Suite("Temporary files of outputs")
struct TemporaryFileTests {
    @Test("Files of a killed process are removed, files of a running process stay")
    func leftovers() throws {
        let folder = try Folder()
        // The lock is released at the end of its process, or here when its descriptor is closed.
        try folder.make(".keyway-0123456789abcdef.tmp", "left")
        let living = try folder.make(".keyway-fedcba9876543210.tmp", "alive")
        let descriptor = open(living, O_RDWR)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        for name in [".keyway-live", ".keyway-0123.tmp", "0123456789abcdef.tmp", ".keyway-0123456789abcdeg.tmp"] {
            try folder.make(name, "another's")
        }
        try folder.link(".keyway-00000000000000ff.tmp", to: "another's")
        let others = Set(folder.names).subtracting([".keyway-0123456789abcdef.tmp"])
        let file = try OutputFile(folder.path("out"))
        try file.finish()
        #expect(Set(folder.names) == others.union(["out"]))
        close(descriptor)
        TemporaryFile.removeLeftovers(in: folder.url.path)
        #expect(!folder.names.contains(".keyway-fedcba9876543210.tmp"))
    }

    @Test("Files are not removed as leftovers while they are written")
    func concurrent() throws {
        let folder = try Folder()
        let file = try OutputFile(folder.path("out"))
        try file.write(Array("whole".utf8))
        TemporaryFile.removeLeftovers(in: folder.url.path)
        try file.finish()
        #expect(folder.text(folder.path("out")) == "whole")
    }
}
