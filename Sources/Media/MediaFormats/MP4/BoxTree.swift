public import ByteCoding

/// The boxes of a file as a tree of values to display. For a damaged file, the tree contains the boxes that can be read
/// and the errors.
public struct BoxTree: Equatable, Sendable, CustomStringConvertible {
    /// A box in the tree.
    public struct Node: Equatable, Sendable {
        /// The type of the box.
        public var type: FourCC
        /// The offset of the first byte of the box in the file.
        public var offset: Int
        /// The size of the whole box in bytes, as its header specifies; to the end of the file if the header specifies
        /// no size.
        public var size: Int
        /// The fields to display, in order; empty for boxes that are not known.
        public var fields: [BoxField]
        /// The child boxes.
        public var children: [Node]
        /// The error if the box could not be read, or not to its end; otherwise nil.
        public var problem: ParseError?
    }

    /// The top-level boxes.
    public let boxes: [Node]
    /// The error at the top level, after which no more boxes could be read; otherwise nil.
    public let problem: ParseError?
    /// True if the file has more boxes than the maximum count.
    public let isTruncated: Bool

    /// Reads the boxes of a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - maximumDepth: the maximum depth of nested boxes.
    ///   - maximumCount: the maximum number of boxes to read. If the file has more, ``isTruncated`` is true.
    public init(reading file: RawSpan, maximumDepth: Int = 16, maximumCount: Int = 100_000) {
        var builder = BoxTreeBuilder(maximumDepth: maximumDepth, countLeft: maximumCount)
        var reader = ByteReader(file)
        (boxes, problem) = builder.readBoxes(&reader, in: nil, depth: 0)
        isTruncated = builder.isTruncated
    }

    /// The boxes with their types, offsets, sizes and fields, one per line. Each level is indented by two spaces.
    public var description: String {
        var lines: [String] = []
        for box in boxes { box.write(to: &lines, indent: "") }
        if let problem { lines.append("! \(problem)") }
        if isTruncated { lines.append("! the file has more boxes, which are not listed") }
        return lines.joined(separator: "\n")
    }
}

extension BoxTree.Node {
    fileprivate func write(to lines: inout [String], indent: String) {
        let text = fields.map { " \($0)" }.joined()
        lines.append("\(indent)\(type) @\(offset) +\(size)\(text)")
        for child in children { child.write(to: &lines, indent: indent + "  ") }
        if let problem { lines.append("\(indent)  ! \(problem)") }
    }
}

private struct BoxTreeBuilder {
    let maximumDepth: Int
    var countLeft: Int
    var isTruncated = false
    /// The handler type of the current track, which determines the fields of sample entries.
    private var handler: FourCC = "    "

    init(maximumDepth: Int, countLeft: Int) {
        self.maximumDepth = maximumDepth
        self.countLeft = countLeft
    }

    mutating func readBoxes(
        _ reader: inout ByteReader,
        in container: FourCC?,
        depth: Int
    ) -> ([BoxTree.Node], ParseError?) {
        var nodes: [BoxTree.Node] = []
        do throws(ParseError) {
            while reader.remaining > 0 {
                guard countLeft > 0 else {
                    isTruncated = true
                    return (nodes, nil)
                }
                if container != nil, reader.remaining < 8 {
                    // Padding, as in QuickTime files.
                    return (nodes, nil)
                }
                countLeft -= 1
                let header = try BoxHeader(reading: &reader)
                let size = header.contentSize(of: reader.remaining)
                let present = min(size, reader.remaining)
                var content = try reader.split(present, "\(header.type) box")
                var node = BoxTree.Node(
                    type: header.type,
                    offset: header.offset,
                    size: size + header.headerSize,
                    fields: [],
                    children: []
                )
                if let userType = header.userType {
                    node.fields.append(BoxField("usertype", bytes: userType))
                }
                read(&content, into: &node, depth: depth)
                if size > present, node.problem == nil {
                    node.problem = ParseError(
                        .truncated,
                        reading: "\(header.type) box",
                        offset: header.offset,
                        reason: "\(size - present) bytes are missing"
                    )
                }
                nodes.append(node)
            }
        } catch {
            return (nodes, error)
        }
        return (nodes, nil)
    }

    private mutating func read(_ reader: inout ByteReader, into node: inout BoxTree.Node, depth: Int) {
        guard depth < maximumDepth else {
            node.problem = ParseError(
                .notSupported,
                reading: "\(node.type) box",
                offset: node.offset,
                reason: "boxes are nested more than \(maximumDepth) levels deep"
            )
            return
        }
        do throws(ParseError) {
            guard let box = BoxRegistry.box(node.type) else { return }
            let summary = try box.summary(reading: &reader, type: node.type)
            node.fields += summary.fields
            if let handler = summary.handler { self.handler = handler }
            switch summary.content {
            case .none: break
            case .boxes: (node.children, node.problem) = readBoxes(&reader, in: node.type, depth: depth + 1)
            case .sampleEntries(let version): try readSampleEntries(&reader, &node, version: version, depth: depth)
            }
        } catch {
            node.problem = error
        }
    }

    private mutating func readSampleEntries(
        _ reader: inout ByteReader,
        _ node: inout BoxTree.Node,
        version: UInt8,
        depth: Int
    ) throws(ParseError) {
        while reader.remaining >= 8, countLeft > 0 {
            countLeft -= 1
            let header = try BoxHeader(reading: &reader)
            let size = header.contentSize(of: reader.remaining)
            var content = try reader.split(min(size, reader.remaining), "\(header.type) sample entry")
            var entry = BoxTree.Node(
                type: header.type,
                offset: header.offset,
                size: size + header.headerSize,
                fields: [],
                children: []
            )
            do throws(ParseError) {
                entry.fields = try SampleEntry.summary(
                    header.type,
                    reading: &content,
                    handler: handler,
                    descriptionVersion: version
                )
                (entry.children, entry.problem) = readBoxes(&content, in: header.type, depth: depth + 2)
            } catch {
                entry.problem = error
            }
            node.children.append(entry)
        }
    }
}
