import FPSCrypto
import Glibc
import Testing

@testable import KeyStore

@Suite("Atomic files")
struct AtomicFileTests {
    private let folder = TemporaryFolder()
    private var place: String { folder.path + "/place" }

    private func put(_ text: String, at place: String, replacing: Bool) throws(KeyStoreError) {
        let draft = try AtomicFile(for: place, replacing: replacing)
        defer { draft.remove() }
        try draft.write(SecretBytes(copying: Array(text.utf8)))
        if replacing { try draft.replace() } else { try draft.publish() }
    }

    private func status(_ name: String) -> stat {
        var status = stat()
        lstat(folder.path + "/" + name, &status)
        return status
    }

    @Test("A new file has mode 0600, and does not replace another unless requested")
    func files() throws {
        try put("one", at: place, replacing: false)
        #expect(permissions(of: place) == 0o600)
        #expect(throws: KeyStoreError(.conflict, place: "")) { try put("two", at: place, replacing: false) }
        #expect(folder.bytes(of: "place") == Array("one".utf8))
        try put("two", at: place, replacing: true)
        #expect(folder.bytes(of: "place") == Array("two".utf8))
        #expect(folder.names == ["place"])
    }

    @Test("Replacing a file preserves its mode and owner")
    func modeAndOwner() throws {
        folder.write("one", to: "place")
        #expect(chmod(place, 0o440) == 0)
        if geteuid() == 0 { #expect(chown(place, 1234, 5678) == 0) }
        let before = status("place")
        try put("two", at: place, replacing: true)
        let after = status("place")
        #expect(after.st_ino != before.st_ino)
        #expect((after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid))
    }

    @Test("Links are followed and preserved", arguments: [true, false])
    func links(replacing: Bool) throws {
        for (link, target) in [("link", "second"), ("second", folder.path + "/place")] {
            #expect(symlink(target, folder.path + "/" + link) == 0)
        }
        try put("one", at: folder.path + "/link", replacing: replacing)
        #expect(folder.bytes(of: "place") == Array("one".utf8))
        for name in ["link", "second"] { #expect(status(name).st_mode & S_IFMT == S_IFLNK) }
        #expect(folder.names == ["link", "place", "second"])
        #expect(symlink("loop", folder.path + "/loop") == 0)
        #expect(throws: KeyStoreError(.unavailable, place: "")) {
            try put("one", at: folder.path + "/loop", replacing: replacing)
        }
    }

    @Test("A pipe and a folder are not replaced", arguments: [true, false])
    func notRegular(replacing: Bool) throws {
        #expect(mkfifo(place, 0o600) == 0 && mkdir(folder.path + "/folder", 0o700) == 0)
        for name in ["place", "folder"] {
            #expect(throws: KeyStoreError(.unavailable, place: "")) {
                try put("one", at: folder.path + "/" + name, replacing: replacing)
            }
        }
        #expect(status("place").st_mode & S_IFMT == S_IFIFO && status("folder").st_mode & S_IFMT == S_IFDIR)
        #expect(folder.names == ["folder", "place"])
    }

    @Test("A device is not replaced", .enabled(if: geteuid() == 0, "only root makes device nodes"))
    func device() throws {
        // A device like /dev/null, but never that one itself.
        guard mknod(place, S_IFCHR | 0o666, 1 << 8 | 3) == 0 else { return }
        for replacing in [true, false] {
            #expect(throws: KeyStoreError(.unavailable, place: "")) { try put("one", at: place, replacing: replacing) }
        }
        #expect(status("place").st_mode & S_IFMT == S_IFCHR)
        #expect(folder.names == ["place"])
    }

    @Test("A pipe that is created at the path in the meantime is not replaced")
    func late() throws {
        let draft = try AtomicFile(for: place)
        defer { draft.remove() }
        #expect(mkfifo(place, 0o600) == 0)
        #expect(throws: KeyStoreError(.unavailable, place: "")) { try draft.replace() }
        #expect(throws: KeyStoreError(.conflict, place: "")) { try draft.publish() }
        #expect(status("place").st_mode & S_IFMT == S_IFIFO)
    }
}
