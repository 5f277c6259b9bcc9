import FPSCrypto

// The kernel of BulkCTR. It uses raw pointers for the same reasons as ChainLanes. It is safe because BulkCTR has
// checked that every run is within its buffers, and because the number of counters never exceeds `blockLimit` and the
// number of parts never exceeds `partLimit`: both are checked before one is added.

/// A cipher that encrypts short parts with a keystream that is generated for many parts in one call, because setting a
/// new counter costs libcrypto as much time as encrypting a kilobyte. It encrypts long parts with the cipher's counter
/// mode.
struct CounterKernel: ~Copyable {
    /// A part of a run, with the offset of its first byte in the keystream.
    private struct PendingPart {
        var source: UnsafeRawPointer
        var destination: UnsafeMutableRawPointer
        var count: Int
        var keystreamOffset: Int
    }

    /// The minimum size in bytes of a part that is encrypted with the cipher's counter mode.
    private static let longPartSize = 1024
    private static let blockLimit = 256
    private static let partLimit = 256

    private var single: AES128Stream
    private var counting: AES128Stream
    /// The counter blocks, which are encrypted to the keystream.
    private let stream: UnsafeMutablePointer<Block>
    private let parts: UnsafeMutablePointer<PendingPart>
    private var blockCount = 0
    private var partCount = 0

    init(key: SecretBytes) throws(CryptoError) {
        let single = try AES128Stream(.ecb, .encrypt, key: key)
        let counting = try AES128Stream(.ctr, .encrypt, key: key)
        self.single = single
        self.counting = counting
        stream = .allocate(capacity: Self.blockLimit)
        stream.initialize(repeating: Block(), count: Self.blockLimit)
        parts = .allocate(capacity: Self.partLimit)
    }

    deinit {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: stream, count: Self.blockLimit * 16))
        stream.deallocate()
        parts.deallocate()
    }

    /// Encrypts or decrypts all runs, which must be within the memory at `input` and at `output`. Without an input, the
    /// operation is in place in the output. The first run must start a stream.
    mutating func process(
        _ runs: [CounterRun],
        from input: UnsafeRawPointer?,
        to output: UnsafeMutableRawPointer
    ) throws(CryptoError) {
        (blockCount, partCount) = (0, 0)
        var counter = Counter(SIMD16())
        // The number of used bytes of the counter's block, and whether the block is the last one in `stream`.
        var (used, isAppended) = (0, false)
        for run in runs {
            if !run.continuesStream { (counter, used, isAppended) = (Counter(run.counter), 0, false) }
            var (destination, remaining) = (output + run.offset, run.count)
            var source = input.map { $0 + run.source } ?? UnsafeRawPointer(destination)
            while remaining > 0 {
                var count: Int
                if used == 0, remaining >= Self.longPartSize {
                    count = min(remaining / 16, counter.blocksBeforeWrap) * 16
                    try counting.reset(iv: counter.bytes)
                    try counting.update(source, to: destination, count: count)
                    counter.add(count / 16)
                } else {
                    if partCount == Self.partLimit || (!isAppended && blockCount == Self.blockLimit) {
                        try flush()
                        isAppended = false
                    }
                    if !isAppended { append(counter) }
                    let keystreamOffset = (blockCount - 1) * 16 + used
                    count = min(remaining, 16 - used)
                    used += count
                    while used == 16 {
                        counter.add(1)
                        (used, isAppended) = (0, false)
                        let rest = remaining - count
                        guard rest > 0, rest < Self.longPartSize, blockCount < Self.blockLimit else { break }
                        append(counter)
                        used = min(rest, 16)
                        count += used
                    }
                    isAppended = used > 0
                    parts[partCount] = PendingPart(
                        source: source,
                        destination: destination,
                        count: count,
                        keystreamOffset: keystreamOffset
                    )
                    partCount += 1
                }
                source += count
                destination += count
                remaining -= count
            }
        }
        try flush()
    }

    private mutating func append(_ counter: Counter) {
        stream[blockCount] = counter.block
        blockCount += 1
    }

    /// Generates the keystream and XORs the pending parts with it.
    private mutating func flush() throws(CryptoError) {
        try single.update(stream, to: stream, count: blockCount * 16)
        for part in UnsafeBufferPointer(start: parts, count: partCount) {
            let keystream = UnsafeRawPointer(stream) + part.keystreamOffset
            var done = 0
            while done + 16 <= part.count {
                let key = keystream.loadUnaligned(fromByteOffset: done, as: Block.self)
                let block = part.source.loadUnaligned(fromByteOffset: done, as: Block.self)
                part.destination.storeBytes(of: block ^ key, toByteOffset: done, as: Block.self)
                done += 16
            }
            while done < part.count {
                let byte = part.source.load(fromByteOffset: done, as: UInt8.self)
                let key = keystream.load(fromByteOffset: done, as: UInt8.self)
                part.destination.storeBytes(of: byte ^ key, toByteOffset: done, as: UInt8.self)
                done += 1
            }
        }
        (blockCount, partCount) = (0, 0)
    }
}

/// A counter block of Common Encryption.
private struct Counter {
    /// Bytes 0 to 7 in memory order, and bytes 8 to 15 as a number.
    private let fixed: UInt64
    private var number: UInt64

    init(_ bytes: SIMD16<UInt8>) {
        let halves = unsafeBitCast(bytes, to: Block.self)
        (fixed, number) = (halves[0], UInt64(bigEndian: halves[1]))
    }

    var block: Block { Block(fixed, number.bigEndian) }
    var bytes: SIMD16<UInt8> { unsafeBitCast(block, to: SIMD16<UInt8>.self) }

    /// The number of blocks until the counter wraps to 0, where libcrypto would carry into the fixed half.
    var blocksBeforeWrap: Int { number == 0 ? .max : Int(clamping: 0 &- number) }

    mutating func add(_ blocks: Int) { number &+= UInt64(blocks) }
}
