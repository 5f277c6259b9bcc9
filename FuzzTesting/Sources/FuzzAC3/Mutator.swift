import Mutations

/// What libFuzzer calls to make a new input of an old one: half of the time by bytes, half by bits.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = Xorshift(seed: UInt64(seed))
    guard size > 1, random.isOne(of: 2) else { return mutateBytes(data, size, limit) }
    return mutateBits(data, size, limit, &random)
}
