import KeyServer
import KeyStore
import TextCoding
import ToolSupport

/// A list of records on standard output: lines of text or, with `--json`, the object `{"items": […]}` of the
/// administration API. Records are printed as they are read, because a list can be long.
struct RecordList {
    private let isJSON: Bool
    private var isEmpty = true

    init(_ output: JSONOption) { isJSON = output.json }

    /// Prints a record: the JSON of the administration API, or the lines of text.
    mutating func append(_ json: @autoclosure () throws -> JSONValue, or lines: [String]) throws {
        guard isJSON else {
            for line in lines { try Terminal.write(escaped(line) + "\n") }
            return
        }
        // A list of one item consists of the two lines that begin it, the item's lines, two that end it, and "".
        let text = AdminJSON.list([try json()]).indented.split(separator: "\n", omittingEmptySubsequences: false)
        let separator = isEmpty ? text.prefix(2).joined(separator: "\n") + "\n" : ",\n"
        try Terminal.write(separator + text.dropFirst(2).dropLast(3).joined(separator: "\n"))
        isEmpty = false
    }

    /// Prints the end of the list.
    func finish() throws {
        guard isJSON else { return }
        try Terminal.write(isEmpty ? AdminJSON.list([]).indented : "\n  ]\n}\n")
    }
}

/// Prints a line to standard output.
func printLine(_ line: String) throws(CommandFailure) { try Terminal.write(escaped(line) + "\n") }

/// Returns one line of output with the fields that are not nil, separated by two spaces.
func fields(_ fields: [String?]) -> String { fields.compactMap { $0 }.joined(separator: "  ") }

/// Returns a timestamp after a label, or nil if there is no timestamp.
func timestamp(_ word: String, _ seconds: Int64?) -> String? {
    seconds.map { "\(word) \(Timestamp.text(seconds: $0))" }
}

/// Returns an asset ID as text if it is printable ASCII, otherwise as `0x` and hexadecimal digits.
func assetName(_ assetID: [UInt8]) -> String {
    assetID.allSatisfy { (0x20...0x7e).contains($0) }
        ? String(decoding: assetID, as: UTF8.self) : "0x" + Hexadecimal.encode(assetID)
}

extension WriteOutcome {
    /// The word for the outcome of an `add` command.
    var verb: String { self == .created ? "added" : "replaced" }
}

extension JSONValue {
    /// Returns an object with a further member.
    func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let object) = self else { return self }
        return .object(JSONObject(object.members + [.init(key: name, value: value)]))
    }
}
