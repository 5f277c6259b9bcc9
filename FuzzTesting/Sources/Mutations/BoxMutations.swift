/// Changes boxes of an MP4 file: removes, moves or inserts a box, or changes fields to boundary values. The sizes of
/// the enclosing boxes, and the offsets of the data after the box, are adjusted.
///
/// - Parameter other: Another file, whose boxes can be inserted; nil if there is none.
/// - Returns: The new size of the `size` bytes, at most `limit`.
public func mutateBoxes(
    _ data: UnsafeMutablePointer<UInt8>,
    _ size: Int,
    _ limit: Int,
    other: [UInt8]? = nil,
    _ random: inout Xorshift
) -> Int {
    var boxes = MutableBox.read(Array(UnsafeBufferPointer(start: data, count: size)))
    let pool = flattened(other.map { MutableBox.read($0) } ?? boxes)
    let before = boxes
    for _ in 0...Int.random(in: 0...2, using: &random) { change(&boxes, pool, &random) }
    // Sometimes nothing is adjusted, as in a damaged file.
    if !random.isOne(of: 4) { moveOffsets(&boxes, before) }
    var written: [UInt8] = []
    for box in boxes { box.write(to: &written) }
    if random.isOne(of: 32) { written.removeLast(Int.random(in: 0...written.count / 2, using: &random)) }
    let count = min(written.count, limit)
    for index in 0..<count { data[index] = written[index] }
    return count
}

private func flattened(_ boxes: [MutableBox]) -> [MutableBox] { boxes.flatMap { [$0] + flattened($0.children) } }

private func change(_ boxes: inout [MutableBox], _ pool: [MutableBox], _ random: inout Xorshift) {
    guard !boxes.isEmpty else {
        if let box = pool.randomElement(using: &random) { boxes.append(box) }
        return
    }
    let place = Int.random(in: boxes.indices, using: &random)
    if !boxes[place].children.isEmpty, !random.isOne(of: 6) {
        return change(&boxes[place].children, pool, &random)
    }
    switch random.next() % 12 {
    case 0: boxes.remove(at: place)
    case 1: boxes.insert(boxes[place], at: place)
    case 2: boxes.swapAt(place, Int.random(in: boxes.indices, using: &random))
    case 3: boxes.insert(random.pick(pool.isEmpty ? boxes : pool), at: place)
    case 4: boxes[place] = random.pick(pool.isEmpty ? boxes : pool)
    case 5: boxes[place].type = random.pick(MutableBox.types)
    case 6: boxes[place].form = random.pick([.short, .short, .large, .toEnd])
    default: for _ in 0...random.next() % 3 { changeFields(&boxes[place].content, &random) }
    }
}

/// Changes a byte, a four-byte number, or the number of entries.
private func changeFields(_ content: inout [UInt8], _ random: inout Xorshift) {
    let count = content.count
    guard count > 0 else { return content += [UInt8](repeating: 0, count: 4 * Int.random(in: 1...8, using: &random)) }
    // The first fields have the largest effect.
    let bound = random.isOne(of: 3) ? count : min(count, 32)
    let place = Int.random(in: 0..<bound, using: &random)
    switch random.next() % 8 {
    case 0: content[place] ^= 1 << UInt8(random.next() % 8)
    case 1: content[place] = UInt8(truncatingIfNeeded: random.next())
    // Version and flags.
    case 2: content[0] = UInt8(random.next() % 4)
    case 3: if count > 3 { content[random.pick([1, 2, 3, 3, 3])] ^= 1 << UInt8(random.next() % 8) }
    case 4:
        let size = min(count - place, random.pick([1, 2, 4, 8, 12, 16]))
        if random.isOne(of: 2) {
            content.removeSubrange(place..<place + size)
        } else {
            content.insert(contentsOf: content[place..<place + size], at: place)
        }
    default:
        guard bound >= 4 else { return }
        let place = place & ~(random.isOne(of: 4) ? 0 : 3)
        guard place + 4 <= count else { return }
        let old = content[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let numbers: [UInt32] = [0, 1, 2, 3, 8, 16, 1000, 0x1_0001, .max, .max - 1, 1 << 31, 1 << 31 - 1]
        let new = random.isOne(of: 3) ? old &+ random.pick([1, .max, 4, 100]) : random.pick(numbers)
        for index in 0..<4 { content[place + index] = UInt8(truncatingIfNeeded: new >> UInt32(24 - 8 * index)) }
    }
}

/// Adjusts the offsets of data after a box whose size has changed: those of chunks in the file, those of runs in their
/// fragment.
private func moveOffsets(_ boxes: inout [MutableBox], _ before: [MutableBox]) {
    func sizeBeforeData(_ boxes: [MutableBox]) -> Int? {
        boxes.firstIndex { $0.type == MutableBox.code("mdat") }.map { boxes[..<$0].reduce(0) { $0 + $1.size } }
    }
    if let old = sizeBeforeData(before), let new = sizeBeforeData(boxes), old != new {
        for index in boxes.indices where boxes[index].type == MutableBox.code("moov") {
            boxes[index].moveChunks(by: new - old)
        }
    }
    let fragments = before.filter { $0.type == MutableBox.code("moof") }
    var number = 0
    for index in boxes.indices where boxes[index].type == MutableBox.code("moof") {
        defer { number += 1 }
        guard number < fragments.count, boxes[index].size != fragments[number].size else { continue }
        boxes[index].moveRuns(by: boxes[index].size - fragments[number].size)
    }
}
