import FPSCrypto

// The kernel of BulkCTR: raw pointers, for the same reasons as in ChainLanes. It is safe because BulkCTR has checked
// that every run lies within its buffers, and because the counters never exceed `blockLimit` and the pieces
// `pieceLimit`: both are checked before one is added.

/// Encrypts short pieces with a key stream that is made for many of them in one call, since setting a new counter costs
/// libcrypto as much as encrypting a kilobyte; long pieces by the cipher's own counter mode.
struct CounterKernel: ~Copyable {
    /// A part of a run, and where in the key stream its first byte's mate lies.
    private struct Piece {
        var source: UnsafeRawPointer
        var destination: UnsafeMutableRawPointer
        var count: Int
        var mate: Int
    }

    /// From this size in bytes on, a piece goes through the cipher's own counter mode.
    private static let longPiece = 1024
    private static let blockLimit = 256
    private static let pieceLimit = 256

    private var single: AES128Stream
    private var counting: AES128Stream
    /// Counter blocks, which become the key stream.
    private let stream: UnsafeMutablePointer<Block>
    private let pieces: UnsafeMutablePointer<Piece>
    private var blockCount = 0
    private var pieceCount = 0

    init(key: SecretBytes) throws(CryptoError) {
        let single = try AES128Stream(.ecb, .encrypt, key: key)
        let counting = try AES128Stream(.ctr, .encrypt, key: key)
        self.single = single
        self.counting = counting
        stream = .allocate(capacity: Self.blockLimit)
        stream.initialize(repeating: Block(), count: Self.blockLimit)
        pieces = .allocate(capacity: Self.pieceLimit)
    }

    deinit {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: stream, count: Self.blockLimit * 16))
        stream.deallocate()
        pieces.deallocate()
    }

    /// Processes all runs, which must lie within the memory at `input` and at `output`; without an input they lie in
    /// the output already. The first must start a stream.
    mutating func process(
        _ runs: [CounterRun],
        from input: UnsafeRawPointer?,
        to output: UnsafeMutableRawPointer
    ) throws(CryptoError) {
        (blockCount, pieceCount) = (0, 0)
        var counter = Counter(SIMD16())
        // How many bytes of the counter's block are used up, and whether the block is the last one in `stream`.
        var (used, isHeld) = (0, false)
        for run in runs {
            if !run.continuesStream { (counter, used, isHeld) = (Counter(run.counter), 0, false) }
            var (destination, left) = (output + run.offset, run.count)
            var source = input.map { $0 + run.source } ?? UnsafeRawPointer(destination)
            while left > 0 {
                var count: Int
                if used == 0, left >= Self.longPiece {
                    count = min(left / 16, counter.blocksBeforeWrap) * 16
                    try counting.reset(iv: counter.bytes)
                    try counting.update(source, to: destination, count: count)
                    counter.add(count / 16)
                } else {
                    if pieceCount == Self.pieceLimit || (!isHeld && blockCount == Self.blockLimit) {
                        try flush()
                        isHeld = false
                    }
                    if !isHeld { append(counter) }
                    let mate = (blockCount - 1) * 16 + used
                    count = min(left, 16 - used)
                    used += count
                    while used == 16 {
                        counter.add(1)
                        (used, isHeld) = (0, false)
                        let rest = left - count
                        guard rest > 0, rest < Self.longPiece, blockCount < Self.blockLimit else { break }
                        append(counter)
                        used = min(rest, 16)
                        count += used
                    }
                    isHeld = used > 0
                    pieces[pieceCount] = Piece(source: source, destination: destination, count: count, mate: mate)
                    pieceCount += 1
                }
                source += count
                destination += count
                left -= count
            }
        }
        try flush()
    }

    private mutating func append(_ counter: Counter) {
        stream[blockCount] = counter.block
        blockCount += 1
    }

    /// Makes the key stream and adds it to the pieces that wait for it.
    private mutating func flush() throws(CryptoError) {
        try single.update(stream, to: stream, count: blockCount * 16)
        for piece in UnsafeBufferPointer(start: pieces, count: pieceCount) {
            let mates = UnsafeRawPointer(stream) + piece.mate
            var done = 0
            while done + 16 <= piece.count {
                let mate = mates.loadUnaligned(fromByteOffset: done, as: Block.self)
                let block = piece.source.loadUnaligned(fromByteOffset: done, as: Block.self)
                piece.destination.storeBytes(of: block ^ mate, toByteOffset: done, as: Block.self)
                done += 16
            }
            while done < piece.count {
                let byte = piece.source.load(fromByteOffset: done, as: UInt8.self)
                let mate = mates.load(fromByteOffset: done, as: UInt8.self)
                piece.destination.storeBytes(of: byte ^ mate, toByteOffset: done, as: UInt8.self)
                done += 1
            }
        }
        (blockCount, pieceCount) = (0, 0)
    }
}

/// A counter block of Common Encryption.
private struct Counter {
    /// Bytes 0 to 7 as they lie in memory, and bytes 8 to 15 as a number.
    private let fixed: UInt64
    private var number: UInt64

    init(_ bytes: SIMD16<UInt8>) {
        let halves = unsafeBitCast(bytes, to: Block.self)
        (fixed, number) = (halves[0], UInt64(bigEndian: halves[1]))
    }

    var block: Block { Block(fixed, number.bigEndian) }
    var bytes: SIMD16<UInt8> { unsafeBitCast(block, to: SIMD16<UInt8>.self) }

    /// How many blocks come before the number is 0 again; libcrypto would carry into the fixed half there.
    var blocksBeforeWrap: Int { number == 0 ? .max : Int(clamping: 0 &- number) }

    mutating func add(_ blocks: Int) { number &+= UInt64(blocks) }
}
