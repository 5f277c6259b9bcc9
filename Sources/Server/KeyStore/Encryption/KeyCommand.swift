import FPSCrypto
import Glibc
import TextCoding

/// A command, configured by the operator, that prints key-encryption keys, for example a client of a key management
/// service.
enum KeyCommand {
    /// The place that errors report. The command line itself may contain secrets.
    static let place = "key-encryption key command"
    /// The timeout, in seconds.
    static let timeout = 30

    /// Runs a command with `/bin/sh -c` and parses keys from its standard output. Its standard error is the server's.
    /// Its standard input is empty, and it inherits the server's environment.
    ///
    /// - Throws: ``KeyStoreError/Code/unavailable`` if the command cannot be run, fails or times out;
    ///   ``KeyStoreError/Code/malformedKEK`` if its output is not a list of keys. Errors contain nothing of the output.
    static func run(_ command: String, timeout: Int = timeout) throws(KeyStoreError) -> [KeyEncryptionKey] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .system("pipe", place) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try spawn(command, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        let deadline = now() + Int64(timeout) * 1000
        var count = 0
        // One byte more than the maximum, so that excess output is detected.
        let text = SecretBytes(count: KeyEncryptionKey.maximumText + 1) { buffer in
            count = read(from: ends[0], into: buffer, until: deadline)
        }
        close(ends[0])
        let status = wait(for: child, until: deadline)
        guard count >= 0, let status else {
            throw KeyStoreError(.unavailable, place: place, reason: "it took longer than \(counted(timeout, "second"))")
        }
        guard status == 0 else {
            let ending = status & 0x7F == 0 ? "ended with status \(status >> 8 & 0xFF)" : "was terminated by a signal"
            throw KeyStoreError(.unavailable, place: place, reason: "it \(ending)")
        }
        guard count > 0 else { throw KeyStoreError(.malformedKEK, place: place, reason: "it printed nothing") }
        return try text.withUnsafeBytes { bytes throws(KeyStoreError) in
            try KeyEncryptionKey.keys(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]), place: place)
        }
    }

    /// Starts the shell in a separate process group, so that all of its child processes can be killed.
    private static func spawn(_ command: String, output: Int32) throws(KeyStoreError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // The server may have blocked signals in this thread, and it ignores SIGPIPE.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = ["/bin/sh", "-c", command].map { (word: String) -> UnsafeMutablePointer<CChar>? in strdup(word) }
        words.append(nil)
        defer { words.forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ)
        guard failure == 0 else {
            throw KeyStoreError(.unavailable, place: place, reason: String(cString: strerror(failure)))
        }
        return child
    }

    /// Reads until the end of the file or until the buffer is full. Returns a negative number after a timeout or an
    /// error.
    private static func read(from file: Int32, into buffer: UnsafeMutableRawBufferPointer, until deadline: Int64) -> Int
    {
        var count = 0
        while count < buffer.count {
            var awaited = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let left = deadline - now()
            guard left > 0 else { return -1 }
            let ready = poll(&awaited, 1, Int32(min(left, 1000)))
            if ready == 0 || ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return -1 }
            let got = Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return -1 }
            if got == 0 { return count }
            count += got
        }
        return count
    }

    /// Waits for the child and returns its exit status, or nil if it was killed after the timeout.
    private static func wait(for child: pid_t, until deadline: Int64) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = waitpid(child, &status, WNOHANG)
            if found == child { return status }
            if found < 0, errno != EINTR { return nil }
            guard now() < deadline else { break }
            usleep(2_000)
        }
        kill(-child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return nil
    }

    /// Returns milliseconds of the monotonic clock.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
