import FPSCrypto

// The kernel of BulkCBC: raw pointers, because bounds checks in the inner loop cost a third of the speed and a list of
// mutable spans cannot be held. It is safe because BulkCBC has checked that every run lies within its buffer, lanes
// move over the blocks of their runs only, and all scratch memory has the fixed sizes below.

/// A block as the machine adds it.
typealias Block = SIMD2<UInt64>

/// Encrypts up to 16 CBC chains side by side. A lane whose chain ends takes the next chain from the list.
struct ChainLanes: ~Copyable {
    /// A chain on its way, but for what the inner loop moves: the place of its next block, and the ciphertext block
    /// before that. These lie in lists of their own, so that the loop touches nothing else.
    private struct Lane {
        /// How many blocks of the run are left for the cipher.
        var left: Int
        /// How many of them come at the lane's stride before a jump.
        var even: Int
        /// After every so many blocks there is a jump of so many bytes.
        var evenBlocks: Int
        var jump: Int
        /// The run's index; -1 before the first.
        var run: Int
    }

    /// More lanes gain nothing: with 16, libcrypto's eight blocks in flight are always full.
    private static let limit = 16
    /// From this many blocks on, it pays to set up the chaining mode for the last one or two chains.
    private static let aloneAtTheEnd = 16
    /// How many scattered blocks are gathered for the chaining mode.
    private static let gatherLimit = 256

    private var single: AES128Stream
    private var chaining: AES128Stream
    private let lanes: UnsafeMutablePointer<Lane>
    /// For each lane the next block, and how many bytes later the one after it begins.
    private let positions: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let strides: UnsafeMutablePointer<Int>
    /// For each lane the ciphertext block before the next, or the IV.
    private let links: UnsafeMutablePointer<Block>
    private let gathered: UnsafeMutablePointer<Block>
    private var active = 0
    private var next = 0

    init(key: SecretBytes) throws(CryptoError) {
        let single = try AES128Stream(.ecb, .encrypt, key: key)
        let chaining = try AES128Stream(.cbc, .encrypt, key: key)
        self.single = single
        self.chaining = chaining
        lanes = .allocate(capacity: Self.limit)
        lanes.initialize(repeating: Lane(left: 0, even: 0, evenBlocks: 0, jump: 0, run: -1), count: Self.limit)
        positions = .allocate(capacity: Self.limit)
        strides = .allocate(capacity: Self.limit)
        links = .allocate(capacity: Self.limit)
        links.initialize(repeating: Block(), count: Self.limit)
        gathered = .allocate(capacity: Self.gatherLimit)
        gathered.initialize(repeating: Block(), count: Self.gatherLimit)
    }

    deinit {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: links, count: Self.limit)))
        let blocks = UnsafeMutableBufferPointer(start: gathered, count: Self.gatherLimit)
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(blocks))
        lanes.deallocate()
        positions.deallocate()
        strides.deallocate()
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
            var steps = lanes[0].even
            for lane in 1..<max(active, 1) { steps = min(steps, lanes[lane].even) }
            if next == runs.count, active <= 2, (0..<active).allSatisfy({ lanes[$0].left >= Self.aloneAtTheEnd }) {
                steps = 0
                for lane in 0..<active { try finishAlone(lane) }
            } else {
                try encrypt(steps)
            }
            var lane = 0
            while lane < active {
                move(lane, by: steps)
                if lanes[lane].left == 0, try !load(lane, runs, buffers) {
                    // The last lane moves here; its turn in this loop is still to come.
                    active -= 1
                    lanes[lane] = lanes[active]
                    links[lane] = links[active]
                    positions[lane] = positions[active]
                    strides[lane] = strides[active]
                } else {
                    lane += 1
                }
            }
        }
    }

    /// Counts `steps` blocks that the inner loop has done, at most the even ones, and jumps after the last of these.
    private func move(_ lane: Int, by steps: Int) {
        lanes[lane].left -= steps
        lanes[lane].even -= steps
        guard lanes[lane].even == 0, lanes[lane].left > 0 else { return }
        positions[lane] += lanes[lane].jump
        lanes[lane].even = min(lanes[lane].evenBlocks, lanes[lane].left)
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
            // One block of so many is as even as all of them; the jump is for patterns of several.
            let isEven = run.skipBlocks == 0 || run.cryptBlocks == 1
            positions[lane] = start + run.offset
            strides[lane] = (run.cryptBlocks == 1 ? 1 + run.skipBlocks : 1) * 16
            lanes[lane] = Lane(
                left: run.blocks,
                even: isEven ? run.blocks : min(run.blocks, run.cryptBlocks),
                evenBlocks: run.cryptBlocks,
                jump: run.skipBlocks * 16,
                run: following
            )
            return true
        }
    }

    /// Moves all lanes forward by `steps` blocks.
    private mutating func encrypt(_ steps: Int) throws(CryptoError) {
        let (positions, strides, links, active) = (positions, strides, links, active)
        for _ in 0..<steps {
            for lane in 0..<active { links[lane] ^= positions[lane].loadUnaligned(as: Block.self) }
            try single.update(links, to: links, count: active * 16)
            for lane in 0..<active {
                let position = positions[lane]
                position.storeBytes(of: links[lane], as: Block.self)
                positions[lane] = position + strides[lane]
            }
        }
    }

    /// Takes one lane to the end of its run by the cipher's own chaining mode.
    private mutating func finishAlone(_ lane: Int) throws(CryptoError) {
        try chaining.reset(iv: unsafeBitCast(links[lane], to: SIMD16<UInt8>.self))
        while lanes[lane].left > 0 {
            let start = positions[lane]
            let isContiguous = strides[lane] == 16
            let count = isContiguous ? lanes[lane].even : min(lanes[lane].even, Self.gatherLimit)
            let blocks = isContiguous ? start : UnsafeMutableRawPointer(gathered)
            if !isContiguous {
                for number in 0..<count {
                    gathered[number] = start.loadUnaligned(fromByteOffset: number * strides[lane], as: Block.self)
                }
            }
            let last = (count - 1) * 16
            try chaining.update(blocks, to: blocks, count: count * 16)
            links[lane] = blocks.loadUnaligned(fromByteOffset: last, as: Block.self)
            if !isContiguous {
                for number in 0..<count {
                    start.storeBytes(of: gathered[number], toByteOffset: number * strides[lane], as: Block.self)
                }
            }
            positions[lane] = start + count * strides[lane]
            move(lane, by: count)
        }
    }
}
