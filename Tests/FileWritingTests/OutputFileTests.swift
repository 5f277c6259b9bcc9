import FileWriting
import Foundation
import Testing

@Suite("Output files", .timeLimit(.minutes(10)))
struct OutputFileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func write(_ text: String, to path: String, access: OutputFile.Access = .allUsers) throws {
        let file = try OutputFile(path, access: access)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    @Test("A new file appears at the end, and no other file is left")
    func new() throws {
        let path = folder.path("new")
        let file = try OutputFile(path)
        try file.write(Array("one".utf8))
        #expect(folder.status(path) == nil)
        try file.write(Array("two".utf8))
        try file.finish()
        #expect(folder.text(path) == "onetwo")
        #expect(folder.names == ["new"])
    }

    @Test("An unfinished output keeps the existing file and leaves no other file", arguments: [true, false])
    func givenUp(isThere: Bool) throws {
        let path = folder.path("out")
        if isThere { try folder.make("out", "before") }
        do {
            let file = try OutputFile(path)
            try file.write(Array("half".utf8))
        }
        #expect(folder.names == (isThere ? ["out"] : []))
        #expect(folder.text(path) == (isThere ? "before" : nil))
    }

    @Test("A replaced file keeps its mode", arguments: [0o640, 0o600, 0o755] as [mode_t])
    func mode(mode: mode_t) throws {
        let path = try folder.make("out", "before", mode: mode)
        let before = try #require(folder.status(path))
        try write("after", to: path)
        let after = try #require(folder.status(path))
        #expect(after.st_mode & 0o7777 == mode)
        #expect(after.st_ino != before.st_ino)
        #expect(folder.text(path) == "after")
    }

    @Test("A replaced file keeps its owner", .enabled(if: geteuid() == 0, "only root can change the owner of files"))
    func owner() throws {
        let path = try folder.make("out", "before", mode: 0o640)
        try #require(chown(path, 12_345, 23_456) == 0)
        try write("after", to: path)
        let after = try #require(folder.status(path))
        #expect(after.st_uid == 12_345 && after.st_gid == 23_456)
        #expect(after.st_mode & 0o7777 == 0o640)
    }

    @Test(
        "A secret is not readable by all users",
        arguments: [(0o644, 0o600), (0o666, 0o600), (0o640, 0o640), (0o600, 0o600)] as [(mode_t, mode_t)]
    )
    func secret(before: mode_t, after: mode_t) throws {
        let path = try folder.make("keys", "before", mode: before)
        try write("secret", to: path, access: .owner)
        #expect(folder.status(path).map { $0.st_mode & 0o7777 } == after)
        try write("secret", to: folder.path("new"), access: .owner)
        #expect(folder.status(folder.path("new")).map { $0.st_mode & 0o7777 } == 0o600)
    }

    @Test("A link is followed and stays, and its file keeps its mode")
    func link() throws {
        let target = try folder.make("target", "before", mode: 0o640)
        let link = try folder.link("link", to: "target")
        let second = try folder.link("second", to: link)
        try write("after", to: second)
        #expect(folder.kind(link) == S_IFLNK && folder.kind(second) == S_IFLNK)
        #expect(folder.text(target) == "after")
        #expect(folder.status(target).map { $0.st_mode & 0o7777 } == 0o640)
    }

    @Test("The target of a dangling link is created")
    func danglingLink() throws {
        try #require(mkdir(folder.path("elsewhere"), 0o755) == 0)
        let link = try folder.link("link", to: "elsewhere/target")
        try write("after", to: link)
        #expect(folder.kind(link) == S_IFLNK)
        #expect(folder.text(folder.path("elsewhere/target")) == "after")
    }

    @Test("Circular links are an error")
    func circle() throws {
        try folder.link("a", to: "b")
        try folder.link("b", to: "a")
        #expect(failure { _ = try OutputFile(folder.path("a")) }?.code == ELOOP)
        #expect(folder.names == ["a", "b"])
    }

    @Test("Other hard links keep the old content")
    func hardLink() throws {
        let path = try folder.make("out", "before")
        try #require(Foundation.link(path, folder.path("backup")) == 0)
        try write("after", to: path)
        #expect(folder.text(path) == "after")
        #expect(folder.text(folder.path("backup")) == "before")
    }

    @Test("A named pipe is written and stays")
    func pipe() async throws {
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let text = String(repeating: "0123456789", count: 100_000)
        // Each end waits for the other, so each has a separate thread.
        let (written, continuation) = AsyncStream<(any Error)?>.makeStream()
        Thread.detachNewThread { [self] in
            let result = Result { try write(text, to: path) }
            if case .failure(let error) = result { continuation.yield(error) } else { continuation.yield(nil) }
        }
        let (read, bytes) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread { bytes.yield(Self.content(path)) }
        var writer = written.makeAsyncIterator()
        var reader = read.makeAsyncIterator()
        #expect(await reader.next() == Array(text.utf8))
        #expect(await writer.next() as? FileError == nil)
        #expect(folder.kind(path) == S_IFIFO)
        #expect(folder.names == ["pipe"])
    }

    /// Reads all bytes that the other end writes.
    private static func content(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { all += buffer.prefix(count) }
        return all
    }

    @Test("A device is written and stays", .enabled(if: geteuid() == 0, "only root can create device nodes"))
    func device() throws {
        // The node has the device numbers of /dev/null.
        let path = folder.path("null")
        try #require(mknod(path, S_IFCHR | 0o666, 0x103) == 0 && chmod(path, 0o666) == 0)
        let link = try folder.link("link", to: path)
        for name in [path, link] {
            try write("gone", to: name, access: .owner)
            let status = try #require(folder.status(path))
            #expect(status.st_mode == S_IFCHR | 0o666)
            #expect(status.st_rdev == 0x103)
        }
        #expect(folder.names == ["link", "null"])
    }

    @Test("A full device is an error", .enabled(if: geteuid() == 0, "only root can create device nodes"))
    func fullDevice() throws {
        // The node has the device numbers of /dev/full.
        let path = folder.path("full")
        try #require(mknod(path, S_IFCHR | 0o666, 0x107) == 0)
        #expect(failure { try write("too much", to: path) }?.code == ENOSPC)
    }

    @Test("A socket and a folder are errors with a reason, and stay")
    func neither() throws {
        let path = folder.path("socket")
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        #expect(failure { _ = try OutputFile(path) }?.description.contains("socket") == true)
        #expect(failure { _ = try OutputFile(folder.url.path) }?.description.contains("the path is a folder") == true)
        #expect(failure { _ = try OutputFile(folder.path("none") + "/") }?.description.contains("folder") == true)
        #expect(failure { _ = try OutputFile("") }?.description.contains("empty") == true)
        #expect(folder.kind(path) == S_IFSOCK)
        #expect(folder.names == ["socket"])
    }

    @Test(
        "a descriptor of the process is written where it is, and stays open",
        arguments: ["/dev/fd/", "/proc/self/fd/"]
    )
    func descriptor(prefix: String) throws {
        let path = try folder.make("out", "before ")
        let descriptor = open(path, O_WRONLY | O_APPEND)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let link = try folder.link("link", to: "\(prefix)\(descriptor)")
        try write("one ", to: "\(prefix)\(descriptor)")
        try write("two", to: link)
        #expect(folder.text(path) == "before one two")
        #expect(fcntl(descriptor, F_GETFD) >= 0)
        #expect(folder.kind(link) == S_IFLNK)
    }

    @Test("A descriptor of a socket is written")
    func socketDescriptor() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try write("through", to: "/dev/fd/\(ends[0])")
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[1], &buffer, 16) == 7)
        #expect(String(decoding: buffer.prefix(7), as: UTF8.self) == "through")
    }

    @Test("Without replacement, no existing file is replaced or written")
    func notReplacing() throws {
        let path = try folder.make("out", "before")
        let pipe = folder.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for name in [path, pipe, try folder.link("link", to: "out")] {
            #expect(failure { _ = try OutputFile(name, replaces: false) }?.code == EEXIST)
        }
        let late = folder.path("late")
        let file = try OutputFile(late, replaces: false)
        try file.write(Array("mine".utf8))
        try folder.make("late", "another's")
        #expect(failure { try file.finish() }?.code == EEXIST)
        #expect(folder.text(late) == "another's")
        #expect(folder.text(path) == "before")
        #expect(folder.names == ["late", "link", "out", "pipe"])
    }

    @Test("A growing output is visible immediately if the file is new, and replaces an existing file at the end")
    func growing() throws {
        let old = try folder.make("old", "before")
        for (path, meanwhile) in [(folder.path("new"), "one"), (old, "before")] {
            let file = try OutputFile(path, visibility: .growing)
            try file.write(Array("one".utf8))
            #expect(folder.text(path) == meanwhile)
            try file.write(Array("two".utf8))
            try file.finish()
            #expect(folder.text(path) == "onetwo")
        }
        // An output without any writes leaves no file.
        do { _ = try OutputFile(folder.path("empty"), visibility: .growing) }
        #expect(folder.names == ["new", "old"])
    }

    @Test("An output in place keeps the file, and its content until the first write")
    func inPlace() throws {
        let path = try folder.make("out", "before", mode: 0o640)
        let before = try #require(folder.status(path))
        let file = try OutputFile(path, visibility: .inPlace)
        #expect(folder.text(path) == "before")
        try file.write(Array("x".utf8))
        #expect(folder.text(path) == "x")
        try file.finish()
        #expect(folder.status(path)?.st_ino == before.st_ino)
        let more = try OutputFile(path, visibility: .appending)
        try more.write(Array("yz".utf8))
        try more.finish()
        #expect(folder.text(path) == "xyz")
    }

    @Test("Reserved memory becomes the content of a file; a pipe has no such memory")
    func reserved() throws {
        let path = folder.path("out")
        let file = try OutputFile(path)
        let room = try #require(try file.reserve(3))
        room.copyBytes(from: Array("abc".utf8))
        munmap(room.baseAddress, room.count)
        try file.finish()
        #expect(folder.text(path) == "abc")
        let pipe = try OutputFile("/dev/fd/2")
        #expect(try pipe.reserve(3) == nil)
        let scratch = try OutputFile.scratch(4, for: path)
        #expect(scratch.count == 4 && scratch.allSatisfy { $0 == 0 })
        munmap(scratch.baseAddress, scratch.count)
    }

    private func failure(_ body: () throws -> Void) -> FileError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FileError
        }
    }
}
