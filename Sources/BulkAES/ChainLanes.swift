import FPSCrypto

// The kernel of BulkCBC: raw pointers, because bounds checks in the inner loop cost a third of the speed and a list of
// mutable spans cannot be held. It is safe because BulkCBC has checked that every run lies within its buffer, lanes
// move over the blocks of their runs only, and all scratch memory has the fixed sizes below.

/// A block as the machine adds it.
typealias Block = SIMD2<UInt64>

/// Runs up to 16 CBC chains side by side. A lane whose chain ends takes the next chain from the list.
struct ChainLanes: ~Copyable {
    /// A chain on its way.
    private struct Lane {
        /// The next block.
        var position: UnsafeMutableRawPointer
        /// The blocks of the run that are left for the cipher.
        var left: Int
        /// The blocks that are left until some are skipped.
        var group: Int
        var cryptBlocks: Int
        var skippedBytes: Int
        /// The run's index; -1 before the first.
        var run: Int

        mutating func advance() {
            position += 16
            group -= 1
            if group == 0 {
                position += skippedBytes
                group = cryptBlocks
            }
        }

        /// Calls `body` with each of the next `count` blocks and its number, without moving.
        func forEach(_ count: Int, _ body: (UnsafeMutableRawPointer, Int) -> Void) {
            var lane = self
            for number in 0..<count {
                body(lane.position, number)
                lane.advance()
            }
        }
    }

    /// More lanes gain nothing: with 16, libcrypto's eight blocks in flight are always full.
    private static let limit = 16
    /// From this many blocks on, a chain in one piece is faster alone. Decryption has no need of other chains.
    private static let aloneWhenDecrypting = 128
    /// From this many blocks on, it pays to set up the chaining mode for the last one or two chains.
    private static let aloneAtTheEnd = 16
    /// How many scattered blocks are gathered for the chaining mode.
    private static let gatherLimit = 256

    private let encrypts: Bool
    private var single: AES128Stream
    private var chaining: AES128Stream
    private let lanes: UnsafeMutablePointer<Lane>
    /// For each lane the ciphertext block before the next, or the IV; then room for a block of each lane, twice.
    private let links: UnsafeMutablePointer<Block>
    private let gathered: UnsafeMutablePointer<Block>
    private var active = 0
    private var next = 0

    private static var linkCount: Int { 3 * limit }

    init(_ direction: AES128Stream.Direction, key: SecretBytes) throws(CryptoError) {
        encrypts = direction == .encrypt
        let single = try AES128Stream(.ecb, direction, key: key)
        let chaining = try AES128Stream(.cbc, direction, key: key)
        self.single = single
        self.chaining = chaining
        lanes = .allocate(capacity: Self.limit)
        links = .allocate(capacity: Self.linkCount)
        links.initialize(repeating: Block(), count: Self.linkCount)
        gathered = .allocate(capacity: Self.gatherLimit)
        gathered.initialize(repeating: Block(), count: Self.gatherLimit)
    }

    deinit {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: links, count: Self.linkCount)))
        let blocks = UnsafeMutableBufferPointer(start: gathered, count: Self.gatherLimit)
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(blocks))
        lanes.deallocate()
        links.deallocate()
        gathered.deallocate()
    }

    /// Processes all runs. Every run must lie within its buffer and the first must start a chain.
    mutating func process(
        _ runs: [BlockRun],
        in buffers: [UnsafeMutableRawBufferPointer]
    ) throws(CryptoError) {
        (active, next) = (0, 0)
        while active < Self.limit {
            lanes[active].run = -1
            guard try load(active, runs, buffers) else { break }
            active += 1
        }
        while active > 0 {
            var steps = lanes[0].left
            for lane in 1..<max(active, 1) { steps = min(steps, lanes[lane].left) }
            if next == runs.count, active <= 2, steps >= Self.aloneAtTheEnd {
                steps = 0
                for lane in 0..<active { try finishAlone(lane) }
            } else if encrypts {
                try encrypt(steps)
            } else {
                try decrypt(steps)
            }
            var lane = 0
            while lane < active {
                lanes[lane].left -= steps
                if lanes[lane].left == 0, try !load(lane, runs, buffers) {
                    // The last lane moves here; its turn in this loop is still to come.
                    active -= 1
                    lanes[lane] = lanes[active]
                    links[lane] = links[active]
                } else {
                    lane += 1
                }
            }
        }
    }

    /// Gives a lane its chain's next run, or the next chain. False: there is nothing left.
    private mutating func load(
        _ lane: Int,
        _ runs: [BlockRun],
        _ buffers: [UnsafeMutableRawBufferPointer]
    ) throws(CryptoError) -> Bool {
        var following = lanes[lane].run + 1
        while true {
            if following == 0 || following >= runs.count || !runs[following].continuesChain {
                guard next < runs.count else { return false }
                following = next
                links[lane] = unsafeBitCast(runs[next].iv, to: Block.self)
                repeat { next += 1 } while next < runs.count && runs[next].continuesChain
            }
            let run = runs[following]
            guard run.blocks > 0, let start = buffers[run.buffer].baseAddress else {
                following += 1
                continue
            }
            lanes[lane] = Lane(
                position: start + run.offset,
                left: run.blocks,
                group: run.skipBlocks == 0 ? run.blocks : run.cryptBlocks,
                cryptBlocks: run.cryptBlocks,
                skippedBytes: run.skipBlocks * 16,
                run: following
            )
            guard !encrypts, run.skipBlocks == 0, run.blocks >= Self.aloneWhenDecrypting else { return true }
            try finishAlone(lane)
            following += 1
        }
    }

    /// Moves all lanes forward by `steps` blocks.
    private mutating func encrypt(_ steps: Int) throws(CryptoError) {
        let (lanes, links, active) = (lanes, links, active)
        for _ in 0..<steps {
            for lane in 0..<active { links[lane] ^= lanes[lane].position.loadUnaligned(as: Block.self) }
            try single.update(links, to: links, count: active * 16)
            for lane in 0..<active {
                lanes[lane].position.storeBytes(of: links[lane], as: Block.self)
                lanes[lane].advance()
            }
        }
    }

    /// Moves all lanes forward by `steps` blocks.
    private mutating func decrypt(_ steps: Int) throws(CryptoError) {
        let (lanes, links, active) = (lanes, links, active)
        let (ciphertext, plaintext) = (links + Self.limit, links + 2 * Self.limit)
        for _ in 0..<steps {
            for lane in 0..<active { ciphertext[lane] = lanes[lane].position.loadUnaligned(as: Block.self) }
            try single.update(ciphertext, to: plaintext, count: active * 16)
            for lane in 0..<active {
                lanes[lane].position.storeBytes(of: plaintext[lane] ^ links[lane], as: Block.self)
                links[lane] = ciphertext[lane]
                lanes[lane].advance()
            }
        }
    }

    /// Takes one lane to the end of its run by the cipher's own chaining mode.
    private mutating func finishAlone(_ number: Int) throws(CryptoError) {
        try chaining.reset(iv: unsafeBitCast(links[number], to: SIMD16<UInt8>.self))
        var lane = lanes[number]
        while lane.left > 0 {
            let isContiguous = lane.skippedBytes == 0
            let count = isContiguous ? lane.left : min(lane.left, Self.gatherLimit)
            let blocks = isContiguous ? lane.position : UnsafeMutableRawPointer(gathered)
            let last = (count - 1) * 16
            if !isContiguous { lane.forEach(count) { gathered[$1] = $0.loadUnaligned(as: Block.self) } }
            if !encrypts { links[number] = blocks.loadUnaligned(fromByteOffset: last, as: Block.self) }
            try chaining.update(blocks, to: blocks, count: count * 16)
            if encrypts { links[number] = blocks.loadUnaligned(fromByteOffset: last, as: Block.self) }
            if !isContiguous {
                lane.forEach(count) { $0.storeBytes(of: gathered[$1], as: Block.self) }
                for _ in 0..<count { lane.advance() }
            }
            lane.left -= count
        }
        lanes[number] = lane
    }
}
