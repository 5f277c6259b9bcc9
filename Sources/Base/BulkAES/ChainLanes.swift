import FPSCrypto

// The kernel of BulkCBC. It uses raw pointers, because bounds checks in the inner loop cost a third of the speed and
// mutable spans cannot be stored in an array. It is safe because BulkCBC has checked that every run is within its
// buffer, a lane accesses only the blocks of its run, and all scratch memory has the fixed sizes below.

/// A 16-byte block as a vector, for XOR.
typealias Block = SIMD2<UInt64>

/// A cipher that encrypts up to 16 CBC chains concurrently. A lane whose chain has ended continues with the next chain
/// of the list.
struct ChainLanes: ~Copyable {
    /// The state of a chain that is being encrypted. The position of its next block and the previous ciphertext block,
    /// which the inner loop updates, are stored in separate arrays, so that the loop accesses no other memory.
    private struct Lane {
        /// The number of blocks of the run that remain to be encrypted.
        var remaining: Int
        /// The number of blocks at the lane's stride before the next jump.
        var blocksBeforeJump: Int
        /// The number of blocks between two jumps, and the size of a jump in bytes.
        var blocksBetweenJumps: Int
        var jump: Int
        /// The index of the run; -1 before the first run.
        var run: Int
    }

    /// The maximum number of lanes. More lanes are not faster: with 16, libcrypto always has eight blocks in flight.
    private static let limit = 16
    /// The minimum number of blocks for which the cipher's CBC mode is faster for the last one or two chains.
    private static let chainingThreshold = 16
    /// The maximum number of scattered blocks that are gathered for the CBC mode.
    private static let gatherLimit = 256

    private var single: AES128Stream
    private var chaining: AES128Stream
    private let lanes: UnsafeMutablePointer<Lane>
    /// For each lane, the next block, and the distance in bytes to the block after it.
    private let positions: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let strides: UnsafeMutablePointer<Int>
    /// For each lane, the previous ciphertext block, or the IV.
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
        lanes.initialize(
            repeating: Lane(remaining: 0, blocksBeforeJump: 0, blocksBetweenJumps: 0, jump: 0, run: -1),
            count: Self.limit
        )
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

    /// Encrypts all runs. Every run must be within its buffer, and the first run must start a chain.
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
            var steps = lanes[0].blocksBeforeJump
            for lane in 1..<max(active, 1) { steps = min(steps, lanes[lane].blocksBeforeJump) }
            if next == runs.count, active <= 2,
                (0..<active).allSatisfy({ lanes[$0].remaining >= Self.chainingThreshold })
            {
                steps = 0
                for lane in 0..<active { try finishWithCBC(lane) }
            } else {
                try encrypt(steps)
            }
            var lane = 0
            while lane < active {
                move(lane, by: steps)
                if lanes[lane].remaining == 0, try !load(lane, runs, buffers) {
                    // The last lane moves to this index, and the loop processes it next.
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

    /// Updates a lane after the inner loop has encrypted `steps` blocks, at most up to the next jump, and jumps if that
    /// is reached.
    private func move(_ lane: Int, by steps: Int) {
        lanes[lane].remaining -= steps
        lanes[lane].blocksBeforeJump -= steps
        guard lanes[lane].blocksBeforeJump == 0, lanes[lane].remaining > 0 else { return }
        positions[lane] += lanes[lane].jump
        lanes[lane].blocksBeforeJump = min(lanes[lane].blocksBetweenJumps, lanes[lane].remaining)
    }

    /// Assigns the next run of its chain, or the next chain, to a lane. Returns false if no runs are remaining.
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
            // Blocks at a constant distance need no jump: all blocks, or one block per pattern. Only patterns with
            // several encrypted blocks have jumps.
            let hasConstantStride = run.skipBlocks == 0 || run.cryptBlocks == 1
            positions[lane] = start + run.offset
            strides[lane] = (run.cryptBlocks == 1 ? 1 + run.skipBlocks : 1) * 16
            lanes[lane] = Lane(
                remaining: run.blocks,
                blocksBeforeJump: hasConstantStride ? run.blocks : min(run.blocks, run.cryptBlocks),
                blocksBetweenJumps: run.cryptBlocks,
                jump: run.skipBlocks * 16,
                run: following
            )
            return true
        }
    }

    /// Encrypts `steps` blocks of every lane.
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

    /// Encrypts the rest of one lane's run with the cipher's CBC mode.
    private mutating func finishWithCBC(_ lane: Int) throws(CryptoError) {
        try chaining.reset(iv: unsafeBitCast(links[lane], to: SIMD16<UInt8>.self))
        while lanes[lane].remaining > 0 {
            let start = positions[lane]
            let isContiguous = strides[lane] == 16
            let count =
                isContiguous ? lanes[lane].blocksBeforeJump : min(lanes[lane].blocksBeforeJump, Self.gatherLimit)
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
