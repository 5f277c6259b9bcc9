import ByteCoding
import FPSCrypto
import FPSMessages
import TextCoding
import ToolSupport

/// The content of a TLLV whose fields can be printed.
protocol DescribedContent: TLLVContent {
    /// The fields of the value, in the order of the wire format; padding and lengths are printed with the block.
    var fields: [Field] { get }
}

/// Functions that create tables of TLLVs.
enum BlockTables {
    /// The content types that are printed field by field, by tag. Others are printed in hexadecimal.
    private static let contents: [TLLVTag: any DescribedContent.Type] = {
        let types: [any DescribedContent.Type] = spcContents + ckcContents
        return Dictionary(uniqueKeysWithValues: types.map { ($0.tag, $0) })
    }()

    /// The tags of blocks that can decrypt the payload of a CKC. Their values are hidden even if the block cannot be
    /// parsed.
    private static let secretTags: Set<TLLVTag> = [.r1]

    /// Returns a table of a payload, with the blocks in order.
    static func payload(_ blocks: TLLVSequence) -> FieldTable {
        let bytes = blocks.blocks.reduce(0) { $0 + $1.encoded.count }
        return FieldTable(
            title: "Payload",
            remark: "\(counted(blocks.count, "block")) in \(counted(bytes, "byte"))",
            heading: [Field("bytes", .number(bytes))],
            blocks: blocks.map(table)
        )
    }

    /// Returns a table of one block.
    static func table(_ block: TLLV) -> FieldTable {
        let name = block.tag.name
        let tag = Hexadecimal.encode(block.tag.rawValue, digits: 16)
        return FieldTable(
            title: name ?? "unknown block",
            remark:
                "\(tag), \(counted(block.value.count, "byte")) and \(block.padding.count) of padding, at \(block.offset)",
            heading: [
                Field("tag", .identifier(block.tag.rawValue)),
                Field("name", .text(name ?? "unknown")),
                Field("offset", .number(block.offset)),
                Field("block length", .number(block.value.count + block.padding.count)),
                Field("value length", .number(block.value.count)),
                Field("padding length", .number(block.padding.count)),
                Field("padding", .bytes(Array(block.padding))),
            ],
            fields: fields(block)
        )
    }

    private static func fields(_ block: TLLV) -> [Field] {
        guard let type = contents[block.tag] else { return [Field("value", .bytes(Array(block.value)))] }
        do {
            let content = try type.init(block)
            // Some blocks became longer without a new version.
            let further = Array(block.value.dropFirst(content.encodedValue.count))
            return content.fields + (further.isEmpty ? [] : [Field("further bytes", .bytes(further))])
        } catch {
            let value = Array(block.value)
            if block.tag == .sync, error.code == .unknownTLLVVersion, error.reason == "0" {
                return [
                    Field("version", .number(0)), Field("reports", .text("nothing: this is not a Sync SPC")),
                    Field("further bytes", .bytes(Array(value.dropFirst(4)))),
                ]
            }
            let reason =
                switch error.code {
                case .unknownTLLVVersion:
                    "version \(error.reason ?? "") is not in the guide; the block counts as absent"
                case .invalidValueLength where block.tag == .sync: "\(error); the block counts as absent"
                default: error.description
                }
            return [
                Field("parse error", .text(reason)),
                secretTags.contains(block.tag)
                    ? Field("value", .secret(SecretBytes(copying: value))) : Field("value", .bytes(value)),
            ]
        }
    }
}
