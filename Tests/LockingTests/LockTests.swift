import Dispatch
import Locking
import Testing

@Suite("Lock")
struct LockTests {
    private struct Refused: Error, Equatable {}

    /// A value that is neither copyable nor Sendable.
    private struct Total: ~Copyable {
        final class Box { var count = 0 }
        let box = Box()
        var isChanging = false
    }

    @Test("Only one thread at a time has access to the value")
    func excludes() {
        let (threads, rounds) = (8, 10_000)
        let total = Lock(Total())
        let overlaps = Lock(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds {
                let overlapped = total.withLock { total in
                    defer { total.isChanging = false }
                    let overlapped = total.isChanging
                    total.isChanging = true
                    total.box.count += 1
                    return overlapped
                }
                if overlapped { overlaps.withLock { $0 += 1 } }
            }
        }
        #expect(total.withLock { $0.box.count } == threads * rounds)
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("Errors of the body are rethrown with their type, changes stay, and the lock is released")
    func throwsAndUnlocks() {
        let lock = Lock([1])
        do throws(Refused) {
            try lock.withLock { (values: inout [Int]) throws(Refused) in
                values.append(2)
                throw Refused()
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == Refused())
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }

    @Test("The value and the result can be noncopyable")
    func takesWhatCannotBeCopied() {
        let lock = Lock<Total?>(Total())
        let taken = lock.withLock { value in
            var taken: Total?
            swap(&taken, &value)
            return taken
        }
        let wasTaken = taken != nil
        let isEmpty = lock.withLock { $0 == nil }
        #expect(wasTaken)
        #expect(isEmpty)
    }

    @Test("The value is released when the lock is released")
    func releases() {
        final class Probe: Sendable {
            let isGone: Lock<Bool>
            init(_ isGone: Lock<Bool>) { self.isGone = isGone }
            deinit { isGone.withLock { $0 = true } }
        }
        let isGone = Lock(false)
        var lock: Lock<Probe>? = Lock(Probe(isGone))
        #expect(!isGone.withLock { $0 })
        #expect(lock != nil)
        lock = nil
        #expect(isGone.withLock { $0 })
    }
}
