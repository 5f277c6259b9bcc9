import Foundation

/// Reads settings one by one, and at the same time lists which there are: what reads the configuration is also what
/// describes it, so that neither can forget the other.
struct SettingReader {
    private let inputs: SettingInputs
    private var prefix = ""
    private var used: Set<String> = []
    private(set) var settings: [SettingDescription] = []
    private(set) var inForce: [SettingInForce] = []
    private(set) var problems: [ConfigurationProblem]
    private(set) var warnings: [ConfigurationProblem] = []

    init(_ inputs: SettingInputs) {
        self.inputs = inputs
        problems = inputs.problems
    }

    /// Where a setting or a section stands; nil when it is not there.
    func origin(_ path: String) -> SettingOrigin? { inputs.entries[prefix + path]?.origin }

    /// Whether anything was said about it.
    func has(_ path: String) -> Bool { origin(path) != nil }

    /// Where a setting stands, or else the section in which it is missing.
    private func nearestOrigin(_ path: String) -> SettingOrigin {
        var path = Substring(path)
        while !path.isEmpty {
            if let origin = origin(String(path)) { return origin }
            path = path[..<(path.lastIndex { ".[".contains($0) } ?? path.startIndex)]
        }
        return .standard
    }

    mutating func fail(_ path: String, _ reason: String) {
        problems.append(.init(origin: nearestOrigin(path), path: prefix + path, reason: reason))
    }

    mutating func warn(_ path: String, _ reason: String) {
        warnings.append(.init(origin: nearestOrigin(path), path: prefix + path, reason: reason))
    }

    /// A value that has a default.
    mutating func read<Value: SettingValue>(_ value: inout Value, _ name: String, _ help: String) {
        declare(name, Value.takes, value.setting, help, example: value.setting)
        if let read = scalar(name, Value.takes, Value.init(setting:)) { value = read }
        note(name, value.setting)
    }

    /// A value that need not be there.
    mutating func read<Value: SettingValue>(
        _ value: inout Value?,
        _ name: String,
        example: String,
        _ help: String
    ) {
        declare(name, Value.takes, value?.setting, help, example: example)
        if let read = scalar(name, Value.takes, Value.init(setting:)) { value = read }
        note(name, value?.setting)
    }

    /// A whole number within bounds.
    mutating func read(_ value: inout Int, _ name: String, in range: ClosedRange<Int>, _ help: String) {
        let takes = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        declare(name, takes, String(value), help, example: String(value))
        let read = scalar(name, takes) { (text: String) in Int(text).flatMap { range.contains($0) ? $0 : nil } }
        if let read { value = read }
        note(name, String(value))
    }

    /// The path of a file or a folder; from the file's folder when it stands in the file.
    ///
    /// - Parameter orURL: whether it may be a URL instead, which is taken as it is.
    mutating func read(
        path value: inout String?,
        _ name: String,
        example: String,
        orURL: Bool = false,
        _ help: String
    ) {
        let takes = orURL ? "an https URL or a path" : "a path"
        declare(name, takes, value, help, example: example)
        if let read = scalar(name, takes, String.init(setting:)) {
            var path = read
            let isURL = orURL && path.contains("://")
            if case .file? = origin(name), !isURL, !path.hasPrefix("/"), !inputs.folder.isEmpty {
                path = inputs.folder + "/" + path
            }
            value = path
        }
        note(name, value)
    }

    /// A list; in a variable or an option with commas.
    mutating func read<Value: SettingValue>(
        list value: inout [Value],
        _ name: String,
        example: [String],
        _ help: String
    ) {
        let standard = value.isEmpty ? nil : Self.text(value)
        let takes = "a list of \(Value.takes)"
        declare(name, takes, standard, help, example: "[\(example.joined(separator: ", "))]", isList: true)
        guard let entry = use(name) else { return note(name, standard) }
        var items: [String] = []
        switch entry.content {
        case .list(let count):
            for index in 0..<count {
                if let item = scalar("\(name)[\(index)]", Value.takes, String.init(setting:)) { items.append(item) }
            }
        case .scalar(let text) where !text.isEmpty && !isFromFile(entry):
            items = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        default:
            return fail(name, "takes \(takes); write it as [a, b] or with a dash before each")
        }
        var read: [Value] = []
        for item in items {
            guard let parsed = Value(setting: item) else {
                fail(name, "takes \(Value.takes), not \"\(Self.shown(item))\"")
                continue
            }
            read.append(parsed)
        }
        value = read
        note(name, Self.text(read))
    }

    /// Settings under a name.
    mutating func section(_ name: String, _ read: (inout SettingReader) -> Void) {
        // A section with nothing in it is one whose lines are comments.
        if let entry = use(name), entry.content != .section, entry.content != .nothing {
            fail(name, "is a section; write its settings below it, indented")
        }
        let outer = prefix
        prefix += name + "."
        read(&self)
        prefix = outer
    }

    /// Sections in a list. Without inputs, one is described.
    mutating func sections<Item>(
        _ items: inout [Item],
        _ name: String,
        _ new: Item,
        _ read: (inout Item, inout SettingReader) -> Void
    ) {
        // Described by a reader of its own, so that nothing of it is in force.
        var description = SettingReader(SettingInputs())
        description.prefix = prefix + name + "[]."
        var item = new
        read(&item, &description)
        settings += description.settings
        guard let entry = use(name) else { return }
        guard case .list(let count) = entry.content else {
            return fail(name, "is a list of sections; begin each with a dash")
        }
        for index in 0..<count {
            var item = new
            section("\(name)[\(index)]") { read(&item, &$0) }
            items.append(item)
        }
    }

    /// What nobody asked for, once everything has been read.
    mutating func refuseUnknown() {
        let known = Set(settings.map(\.path))
        for (path, entry) in inputs.entries.sorted(by: { $0.key < $1.key }) where !used.contains(path) {
            // Below what is already wrong there is nothing more to say.
            let parents = path.indices.filter { ".[".contains(path[$0]) }.map { String(path[..<$0]) }
            guard parents.allSatisfy({ used.contains($0) }), !problems.contains(where: { parents.contains($0.path) })
            else { continue }
            let near = SettingSpelling.nearest(path, in: known).map { "; is it `\($0)`?" }
            let next = near ?? "; see `keyway-server config example`"
            problems.append(.init(origin: entry.origin, path: path, reason: "there is no such setting" + next))
        }
    }

    private mutating func use(_ name: String) -> SettingInputs.Entry? {
        used.insert(prefix + name)
        return inputs.entries[prefix + name]
    }

    private mutating func scalar<Value>(_ name: String, _ takes: String, _ parse: (String) -> Value?) -> Value? {
        guard let entry = use(name) else { return nil }
        switch entry.content {
        case .scalar(let text):
            if let value = parse(text) { return value }
            fail(name, "takes \(takes), not \"\(Self.shown(text))\"")
        case .nothing: fail(name, "has no value; give it one or remove the line")
        case .list: fail(name, "takes \(takes), not a list")
        case .section: fail(name, "takes \(takes), not a section")
        }
        return nil
    }

    private func isFromFile(_ entry: SettingInputs.Entry) -> Bool {
        if case .file = entry.origin { true } else { false }
    }

    private mutating func declare(
        _ name: String,
        _ takes: String,
        _ standard: String?,
        _ help: String,
        example: String,
        isList: Bool = false
    ) {
        settings.append(
            SettingDescription(
                path: prefix + name,
                takes: takes,
                standard: standard,
                help: help,
                example: example,
                isList: isList
            )
        )
    }

    private mutating func note(_ name: String, _ value: String?) {
        inForce.append(.init(path: prefix + name, value: value, origin: origin(name) ?? .standard))
    }

    private static func text(_ values: [some SettingValue]) -> String {
        "[\(values.map(\.setting).joined(separator: ", "))]"
    }

    /// Somebody may have put a secret where a name belongs, so not all of it is shown.
    private static func shown(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(20).map { $0.value < 0x20 ? "?" : String($0) }.joined()
        return text.unicodeScalars.count > 20 ? start + "…" : start
    }
}
