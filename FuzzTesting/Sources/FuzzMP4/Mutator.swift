import Mutations

/// The custom mutator that libFuzzer calls: one time of three it changes bytes, otherwise boxes.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = Xorshift(seed: UInt64(seed))
    guard size > 16, !random.isOne(of: 3) else { return mutateBytes(data, size, limit) }
    return mutateBoxes(data, size, limit, &random)
}

/// The custom crossover that libFuzzer calls: inserts boxes of the second input into the first.
@_cdecl("LLVMFuzzerCustomCrossOver")
public func cross(
    _ first: UnsafePointer<UInt8>,
    _ firstSize: Int,
    _ second: UnsafePointer<UInt8>,
    _ secondSize: Int,
    _ result: UnsafeMutablePointer<UInt8>,
    _ limit: Int,
    _ seed: UInt32
) -> Int {
    var random = Xorshift(seed: UInt64(seed))
    let size = min(firstSize, limit)
    result.update(from: first, count: size)
    let other = Array(UnsafeBufferPointer(start: second, count: secondSize))
    return mutateBoxes(result, size, limit, other: other, &random)
}
