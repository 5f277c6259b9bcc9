import Foundation

/// Reads settings one by one and collects their descriptions: the same code reads and describes the configuration, so
/// that the two always agree.
struct SettingReader {
    private let inputs: SettingInputs
    private var prefix = ""
    private var used: Set<String> = []
    private(set) var settings: [SettingDescription] = []
    private(set) var effective: [EffectiveSetting] = []
    private(set) var problems: [ConfigurationProblem]
    private(set) var warnings: [ConfigurationProblem] = []

    init(_ inputs: SettingInputs) {
        self.inputs = inputs
        problems = inputs.problems
    }

    /// Returns the origin of a setting or a section; nil if it is not set.
    func origin(_ path: String) -> SettingOrigin? { inputs.entries[prefix + path]?.origin }

    /// Returns whether a setting or a section is set.
    func has(_ path: String) -> Bool { origin(path) != nil }

    /// Returns the origin of a setting, or of the innermost section that is set.
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

    /// Reads a value that has a default.
    mutating func read<Value: SettingValue>(_ value: inout Value, _ name: String, _ help: String) {
        declare(name, Value.expected, value.setting, help, example: value.setting)
        if let read = scalar(name, Value.expected, Value.init(setting:)) { value = read }
        note(name, value.setting)
    }

    /// Reads an optional value.
    mutating func read<Value: SettingValue>(
        _ value: inout Value?,
        _ name: String,
        example: String,
        _ help: String
    ) {
        declare(name, Value.expected, value?.setting, help, example: example)
        if let read = scalar(name, Value.expected, Value.init(setting:)) { value = read }
        note(name, value?.setting)
    }

    /// Reads an integer within bounds.
    mutating func read(_ value: inout Int, _ name: String, in range: ClosedRange<Int>, _ help: String) {
        let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
        declare(name, expected, String(value), help, example: String(value))
        let read = scalar(name, expected) { (text: String) in Int(text).flatMap { range.contains($0) ? $0 : nil } }
        if let read { value = read }
        note(name, String(value))
    }

    /// Reads the path of a file or a folder. A relative path in the configuration file starts from that file's folder.
    ///
    /// - Parameter orURL: Whether a URL is valid too; it is returned unchanged.
    mutating func read(
        path value: inout String?,
        _ name: String,
        example: String,
        orURL: Bool = false,
        _ help: String
    ) {
        let expected = orURL ? "an https URL or a path" : "a path"
        declare(name, expected, value, help, example: example)
        if let read = scalar(name, expected, String.init(setting:)) {
            var path = read
            let isURL = orURL && path.contains("://")
            if case .file? = origin(name), !isURL, !path.hasPrefix("/"), !inputs.folder.isEmpty {
                path = inputs.folder + "/" + path
            }
            value = path
        }
        note(name, value)
    }

    /// Reads a list, separated by commas in a variable or an option.
    mutating func read<Value: SettingValue>(
        list value: inout [Value],
        _ name: String,
        example: [String],
        _ help: String
    ) {
        let defaultValue = value.isEmpty ? nil : Self.text(value)
        let expected = "a list of \(Value.expected)"
        declare(name, expected, defaultValue, help, example: "[\(example.joined(separator: ", "))]", isList: true)
        guard let entry = use(name) else { return note(name, defaultValue) }
        var items: [String] = []
        switch entry.content {
        case .list(let count):
            for index in 0..<count {
                if let item = scalar("\(name)[\(index)]", Value.expected, String.init(setting:)) { items.append(item) }
            }
        case .scalar(let text) where !text.isEmpty && !isFromFile(entry):
            items = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        default:
            return fail(name, "must be \(expected); write [a, b], or one item per line after a dash")
        }
        var read: [Value] = []
        for item in items {
            guard let parsed = Value(setting: item) else {
                fail(name, "expected \(Value.expected), found \"\(Self.shown(item))\"")
                continue
            }
            read.append(parsed)
        }
        value = read
        note(name, Self.text(read))
    }

    /// Reads the settings in a section.
    mutating func section(_ name: String, _ read: (inout SettingReader) -> Void) {
        // A section without a value is one whose settings are all comments.
        if let entry = use(name), entry.content != .section, entry.content != .nothing {
            fail(name, "is a section; write its settings below it, indented")
        }
        let outer = prefix
        prefix += name + "."
        read(&self)
        prefix = outer
    }

    /// Reads a list of sections, and describes the settings of one of them.
    mutating func sections<Item>(
        _ items: inout [Item],
        _ name: String,
        _ new: Item,
        _ read: (inout Item, inout SettingReader) -> Void
    ) {
        // A separate reader describes the settings, so that they do not take effect.
        var description = SettingReader(SettingInputs())
        description.prefix = prefix + name + "[]."
        var item = new
        read(&item, &description)
        settings += description.settings
        guard let entry = use(name) else { return }
        guard case .list(let count) = entry.content else {
            return fail(name, "is a list of sections; start each of them with a dash")
        }
        for index in 0..<count {
            var item = new
            section("\(name)[\(index)]") { read(&item, &$0) }
            items.append(item)
        }
    }

    /// Reports settings that do not exist. Call it after all settings have been read.
    mutating func reportUnknownSettings() {
        let known = Set(settings.map(\.path))
        for (path, entry) in inputs.entries.sorted(by: { $0.key < $1.key }) where !used.contains(path) {
            // Do not report settings in a section that is already reported.
            let parents = path.indices.filter { ".[".contains(path[$0]) }.map { String(path[..<$0]) }
            guard parents.allSatisfy({ used.contains($0) }), !problems.contains(where: { parents.contains($0.path) })
            else { continue }
            let near = SettingSpelling.nearest(path, in: known).map { "; did you mean `\($0)`?" }
            let next = near ?? "; see `keyway-server config example`"
            problems.append(.init(origin: entry.origin, path: path, reason: "unknown setting" + next))
        }
    }

    private mutating func use(_ name: String) -> SettingInputs.Entry? {
        used.insert(prefix + name)
        return inputs.entries[prefix + name]
    }

    private mutating func scalar<Value>(_ name: String, _ expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let entry = use(name) else { return nil }
        switch entry.content {
        case .scalar(let text):
            if let value = parse(text) { return value }
            fail(name, "expected \(expected), found \"\(Self.shown(text))\"")
        case .nothing: fail(name, "has no value; set one or remove the line")
        case .list: fail(name, "expected \(expected), found a list")
        case .section: fail(name, "expected \(expected), found a section")
        }
        return nil
    }

    private func isFromFile(_ entry: SettingInputs.Entry) -> Bool {
        if case .file = entry.origin { true } else { false }
    }

    private mutating func declare(
        _ name: String,
        _ expected: String,
        _ defaultValue: String?,
        _ help: String,
        example: String,
        isList: Bool = false
    ) {
        settings.append(
            SettingDescription(
                path: prefix + name,
                expected: expected,
                defaultValue: defaultValue,
                help: help,
                example: example,
                isList: isList
            )
        )
    }

    private mutating func note(_ name: String, _ value: String?) {
        effective.append(.init(path: prefix + name, value: value, origin: origin(name) ?? .standard))
    }

    private static func text(_ values: [some SettingValue]) -> String {
        "[\(values.map(\.setting).joined(separator: ", "))]"
    }

    /// Returns the start of a value for an error message. The rest is omitted, in case the value is a secret.
    private static func shown(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(20).map { $0.value < 0x20 ? "?" : String($0) }.joined()
        return text.unicodeScalars.count > 20 ? start + "…" : start
    }
}
