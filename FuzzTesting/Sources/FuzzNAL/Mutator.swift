import Mutations

/// The custom mutator that libFuzzer calls: half of the time it changes bytes, half of the time bits.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = Xorshift(seed: UInt64(seed))
    guard size > 1, random.isOne(of: 2) else { return mutateBytes(data, size, limit) }
    return mutateBits(data, size, limit, &random)
}
