import Foundation
import Glibc
import KeyServerModule
import Synchronization

/// The process of a plug-in, as seen from inside: it loads the plug-in that the server specifies, and answers calls.
package final class PluginService: Sendable {
    /// The maximum number of SPCs that are open at a time. A request for one more fails.
    private static let sessionLimit = 10_000

    /// The size of the stack of a thread for calls, in bytes. It is that of a main thread, because a plug-in may need more
    /// than other threads have by default.
    private static let stackSize = 8 << 20

    /// The number of calls on a socket after which the use of memory is checked again.
    private static let callsPerMemoryCheck = 8

    private struct Sessions {
        var next: UInt64 = 1
        var open: [UInt64: any WholeSPCSession] = [:]
    }

    private struct Loaded {
        let plugin: DASkPlugin
        let memory: MemoryBound
    }

    private let sockets: [PluginSocket]
    private let loaded = Mutex<Loaded?>(nil)
    private let sessions = Mutex(Sessions())

    /// Creates a service on the sockets that the server has passed.
    private init(calls: Int) {
        sockets = (0..<calls).map { PluginSocket(PluginProcess.firstDescriptor + 1 + Int32($0)) }
    }

    /// Answers requests until the server ends or closes the sockets. Then it ends this process.
    ///
    /// - Parameter calls: The number of sockets for calls.
    package static func run(calls: Int) -> Never {
        // Most of the server's descriptors are closed already, because they have the flag FD_CLOEXEC.
        closefrom(PluginProcess.firstDescriptor + 1 + Int32(calls))
        // A limit of 1 byte instead of 0: Linux then writes no core dump to a program either (fs/coredump.c).
        setLimit(RLIMIT_CORE, 1)
        // The server decides when this process ends, even if a service manager signals all processes of the service.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        let service = PluginService(calls: calls)
        let threads = DispatchGroup()
        for socket in service.sockets {
            threads.enter()
            let thread = Thread {
                service.answer(on: socket)
                threads.leave()
            }
            thread.stackSize = stackSize
            thread.start()
        }
        // The plug-in can block or stop any thread except this one.
        let lifeline = PluginSocket(PluginProcess.firstDescriptor)
        withExtendedLifetime(lifeline) { lifeline.waitForEnd() }
        for socket in service.sockets { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        // The calls in progress and the plug-in's `destroy` have two seconds.
        signal(SIGALRM, SIG_DFL)
        alarm(2)
        threads.wait()
        service.close()
        _exit(0)
    }

    /// Limits a resource of this process. Returns false if the system refuses that.
    @discardableResult
    private static func setLimit(_ resource: __rlimit_resource, _ value: Int) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }

    private func close() {
        sessions.withLock { $0.open = [:] }
        loaded.withLock { $0 = nil }
    }

    private func answer(on socket: PluginSocket) {
        let buffer = PluginFrameBuffer()
        var isOver = false
        var calls = 0
        while (try? socket.receive(into: buffer)) != nil {
            // The server sends only valid requests, so the end of the process is the right answer to any other.
            guard let header = try? buffer.beginReading().header, let request = try? PluginRequest(reading: buffer)
            else {
                _exit(70)
            }
            let reply = reply(to: request)
            // The check takes longer than the exchange of a small frame, so it is not part of each call.
            if calls % Self.callsPerMemoryCheck == 0 { isOver = loaded.withLock { $0?.memory }?.isExceeded ?? false }
            calls += 1
            let answer = PluginFrameHeader(number: header.number, flags: isOver ? 1 : 0)
            guard (try? reply.write(to: buffer, answer)) != nil,
                (try? socket.send(buffer)) != nil
            else { return }
            buffer.wipe()
        }
    }

    private func reply(to request: PluginRequest) -> PluginReply {
        do throws(KSMError) {
            if case .load(let loading) = request { return load(loading) }
            guard let plugin = loaded.withLock({ $0?.plugin }) else { return .failed(reason: "no plug-in is loaded") }
            switch (request, plugin.derivation) {
            case (.deriveDASk(let r2), .dask(let provider)):
                return .dask(try provider.dask(r2: r2))
            case (.keyPayload(let payload, let key), .keyPayload(let provider)):
                return .keyPayload(try provider.open(payload, contentKey: key))
            case (.openSPC(let spc), _):
                guard let provider = plugin.wholeSPC else { break }
                return try open(spc, provider)
            case (.createCKC(let number, let key, let terms), _):
                guard let session = sessions.withLock({ $0.open[number] }) else { break }
                return .ckc(try session.seal(contentKey: key, terms: terms))
            case (.release(let number), _):
                // The session is released here, outside of the lock, because this calls the plug-in.
                let session = sessions.withLock { $0.open.removeValue(forKey: number) }
                return withExtendedLifetime(session) { .released }
            default: break
            }
            return .failed(reason: "the plug-in does not provide this function")
        } catch {
            return error.code == .keyPayloadInvalid ? .invalidMessage : .failed(reason: error.reason)
        }
    }

    private func open(_ spc: [UInt8], _ provider: any WholeSPCProvider) throws(KSMError) -> PluginReply {
        let session = try provider.open(spc: spc)
        let number = sessions.withLock { sessions -> UInt64? in
            guard sessions.open.count < Self.sessionLimit else { return nil }
            defer { sessions.next += 1 }
            sessions.open[sessions.next] = session
            return sessions.next
        }
        guard let number else { return .failed(reason: "too many SPCs are open at a time") }
        return .openedSPC(session: number, PluginSPC(session))
    }

    private func load(_ loading: PluginLoading) -> PluginReply {
        // The memory that a process can write to: twice the bound, so that a plug-in that leaks is replaced before its
        // allocations fail, and the stacks.
        let memory = Int(min(loading.memory, 1 << 40)) * 2 + sockets.count * Self.stackSize
        guard Self.setLimit(RLIMIT_DATA, memory) else {
            return .failed(reason: "the memory of the plug-in's process cannot be limited")
        }
        do {
            let plugin = try DASkPlugin(
                path: loading.path,
                configuration: loading.configuration,
                ask: loading.ask,
                provisioningData: loading.provisioningData
            )
            loaded.withLock { $0 = Loaded(plugin: plugin, memory: MemoryBound(loading.memory)) }
            return .loaded(plugin.summary)
        } catch {
            return .failed(reason: error.reason)
        }
    }
}

/// The bound of this process's resident memory.
private final class MemoryBound: Sendable {
    private let bound: UInt64
    /// `/proc/self/statm`, which stays open, so that a check costs one system call.
    private let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)

    init(_ bound: UInt64) { self.bound = bound }

    deinit { close(file) }

    /// True if the resident memory that is not shared with files exceeds the bound; false if it is unknown.
    var isExceeded: Bool {
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { text in
            let count = pread(file, text.baseAddress, text.count, 0)
            guard count > 0 else { return false }
            // Pages: size, resident, shared, and others that are not used here.
            let fields = text[..<count].split(separator: UInt8(ascii: " "))
            guard fields.count > 2, let resident = Self.number(fields[1]), let shared = Self.number(fields[2]) else {
                return false
            }
            return (resident - min(shared, resident)) * UInt64(getpagesize()) > bound
        }
    }

    private static func number(_ digits: Slice<UnsafeMutableRawBufferPointer>) -> UInt64? {
        UInt64(String(decoding: digits, as: UTF8.self))
    }
}
