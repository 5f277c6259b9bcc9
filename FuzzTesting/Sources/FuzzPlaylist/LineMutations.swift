import Mutations

// Playlists consist of lines, and tags of attributes: most byte mutations result in the same syntax error. Half of the
// mutations here are libFuzzer's own, the others change lines and attributes.

/// The custom mutator that libFuzzer calls; the input has `size` bytes in a buffer of `limit` bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = Xorshift(seed: UInt64(seed))
    guard size > 8, random.isOne(of: 2) else { return mutateBytes(data, size, limit) }
    var lines = UnsafeBufferPointer(start: data, count: size).split(separator: 10, omittingEmptySubsequences: false)
        .map(Array.init)
    for _ in 0...Int.random(in: 0...2, using: &random) { change(&lines, &random) }
    let written = Array(lines.joined(separator: [10]).prefix(limit))
    for (index, byte) in written.enumerated() { data[index] = byte }
    return written.count
}

private func change(_ lines: inout [[UInt8]], _ random: inout Xorshift) {
    guard let place = lines.indices.randomElement(using: &random),
        let other = lines.indices.randomElement(using: &random)
    else { return }
    switch random.next() % 8 {
    case 0: lines.remove(at: place)
    case 1: lines.insert(lines[other], at: place)
    case 2: lines.swapAt(place, other)
    case 3:
        let line = lines.remove(at: place)
        lines.insert(line, at: min(other, lines.count))
    default: lines[place] = changeAttributes(lines[place], others: lines[other], &random)
    }
}

/// Removes or moves an attribute, or copies one from another line.
private func changeAttributes(_ line: [UInt8], others: [UInt8], _ random: inout Xorshift) -> [UInt8] {
    guard let colon = line.firstIndex(of: 58) else { return line }
    var attributes = split(line[(colon + 1)...])
    let theirs = others.firstIndex(of: 58).map { split(others[($0 + 1)...]) } ?? []
    guard let place = attributes.indices.randomElement(using: &random) else { return line }
    switch random.next() % 5 {
    case 0: attributes.remove(at: place)
    case 1: attributes.swapAt(place, attributes.indices.randomElement(using: &random) ?? place)
    case 2: if let taken = theirs.randomElement(using: &random) { attributes.insert(taken, at: place) }
    case 3: if let taken = theirs.randomElement(using: &random) { attributes[place] = taken }
    default:
        // The value of one attribute with the name of another.
        let pool = theirs.isEmpty ? attributes : theirs
        if let taken = pool.randomElement(using: &random), let from = taken.firstIndex(of: 61),
            let to = attributes[place].firstIndex(of: 61)
        {
            attributes[place] = Array(attributes[place][...to]) + Array(taken[(from + 1)...])
        }
    }
    return Array(line[...colon]) + attributes.joined(separator: [44])
}

/// Splits at the commas that are outside of quotation marks.
private func split(_ list: ArraySlice<UInt8>) -> [[UInt8]] {
    var isQuoted = false
    return list.split(omittingEmptySubsequences: false) { byte in
        if byte == 34 { isQuoted.toggle() }
        return byte == 44 && !isQuoted
    }.map(Array.init)
}
