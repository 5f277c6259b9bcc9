import ByteCoding
import MediaFormats

/// The boxes that can be written.
private let kinds: [FourCC: any (Box & Equatable).Type] = {
    var kinds: [FourCC: any (Box & Equatable).Type] = [:]
    for box in BoxRegistry.boxes {
        guard let kind = box as? any (Box & Equatable).Type else { continue }
        for type in kind.types { kinds[type] = kind }
    }
    return kinds
}()

/// Prints the tree of the boxes, and parses and writes each box of a known type.
func checkBoxes(_ input: [UInt8]) {
    let tree = BoxTree(reading: input.span.bytes)
    precondition(tree.description.utf8.count <= 100 * input.count + 1000)
    checkNodes(tree.boxes, 0..<input.count, input)
}

private func checkNodes(_ nodes: [BoxTree.Node], _ parent: Range<Int>, _ input: [UInt8]) {
    var position = parent.lowerBound
    for node in nodes {
        precondition(node.offset >= position && node.offset + 8 <= parent.upperBound && node.size >= 8)
        // The header may declare more bytes than there are.
        let end = min(parent.upperBound, node.offset + node.size)
        position = end
        checkNodes(node.children, node.offset + 8..<end, input)
        guard node.problem == nil else { continue }
        var reader = ByteReader(input.span.bytes.extracting(node.offset..<end))
        guard (try? BoxHeader(reading: &reader)) != nil, let content = try? reader.readBytes(reader.remaining, "")
        else {
            preconditionFailure("a box without a header")
        }
        if let kind = kinds[node.type] { checkWriting(kind, content) }
        if node.type == "senc" { for size in [0, 8, 16] { checkEncryption(content, ivSize: size) } }
        if node.type == "sgpd" { checkGroups(content) }
    }
}

/// Checks that a box has the same meaning after it is written, and that writing it again gives the same bytes.
private func checkWriting<Kind: Box & Equatable>(_: Kind.Type, _ content: [UInt8]) {
    var reader = ByteReader(content.span.bytes)
    guard let box = try? Kind(reading: &reader) else { return }
    var writer = BoxWriter()
    box.write(to: &writer)
    do throws(ParseError) {
        var reader = ByteReader(writer.bytes.span.bytes)
        let header = try BoxHeader(reading: &reader)
        precondition(header.size == writer.count)
        let again = try Kind(reading: &reader)
        try reader.finish("\(header.type) box")
        precondition(again == box, "\(again)\n\(box)")
        var second = BoxWriter()
        again.write(to: &second)
        precondition(second.bytes == writer.bytes)
    } catch {
        preconditionFailure("a \(Kind.type) box that was written cannot be parsed: \(error)")
    }
}

/// Parses sample group descriptions, by their grouping type and as other types.
private func checkGroups(_ content: [UInt8]) {
    var reader = ByteReader(content.span.bytes)
    guard let box = try? SampleGroupDescriptionBox(reading: &reader) else { return }
    for entry in box.entries {
        var reader = ByteReader(entry.span.bytes)
        _ = try? RollGroupEntry(reading: &reader)
        reader = ByteReader(entry.span.bytes)
        _ = try? RandomAccessGroupEntry(reading: &reader)
        reader = ByteReader(entry.span.bytes)
        guard let encryption = try? SampleEncryptionGroupEntry(reading: &reader) else { continue }
        let bytes = encryption.bytes
        var again = ByteReader(bytes.span.bytes)
        let same = try? SampleEncryptionGroupEntry(reading: &again)
        precondition(same == encryption && again.remaining == 0)
    }
}

/// Entries of one size are not valid entries of another size, but the result of each parser can be written.
private func checkEncryption(_ content: [UInt8], ivSize: Int) {
    var reader = ByteReader(content.span.bytes)
    guard let box = try? SampleEncryptionBox(reading: &reader, ivSize: ivSize) else { return }
    var writer = BoxWriter()
    box.write(to: &writer)
    precondition(writer.count - 8 == content.count - reader.remaining)
    let entries = box.samples.reduce(0) { $0 + $1.size(hasSubsamples: box.hasSubsamples) }
    precondition(writer.count == 16 + entries)
    var again = ByteReader(writer.bytes.span.bytes.extracting(8..<writer.count))
    let same = try? SampleEncryptionBox(reading: &again, ivSize: ivSize)
    precondition(same == box)
}
