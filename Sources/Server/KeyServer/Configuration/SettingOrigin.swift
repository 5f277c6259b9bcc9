/// The origin of a setting's value.
package enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The default.
    case standard
    /// A line of the configuration file, counted from 1.
    case file(String, line: Int)
    /// An environment variable.
    case environment(String)
    /// A command-line option.
    case option(String)

    /// The origin as text: `default`, `file:line`, or the name of a variable or an option.
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .environment(let name): "$\(name)"
        case .option(let name): name
        }
    }

    /// The line in the file; values from other origins sort after it.
    var line: Int {
        if case .file(_, let line) = self { line } else { .max }
    }
}

/// An error or a warning about a setting.
package struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The origin of the setting's value.
    package let origin: SettingOrigin
    /// The path of the setting, such as `limits.threads`; empty for the file as a whole.
    package let path: String
    /// The description of the problem and of its fix.
    package let reason: String

    /// Creates a problem.
    package init(origin: SettingOrigin, path: String, reason: String) {
        self.origin = origin
        self.path = path
        self.reason = reason
    }

    /// One line with the origin, the path and the reason.
    package var description: String {
        [origin == .standard ? "" : origin.description, path, reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// All errors in a configuration.
package struct ConfigurationErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errors in the order of the settings; never empty.
    package let problems: [ConfigurationProblem]

    /// One line for each error.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The description of a setting.
package struct SettingDescription: Sendable, Equatable {
    /// The path, such as `limits.threads`; `[]` represents the index of a list item.
    package let path: String
    /// The description of valid values.
    package let expected: String
    /// The default value; nil if the setting has none.
    package let defaultValue: String?
    /// The description of the setting's effect, in a sentence.
    package let help: String
    /// The value in the example file.
    let example: String
    let isList: Bool

    /// The environment variable that sets it; nil for settings in a list of sections.
    package var variable: String? { path.contains("[]") ? nil : Self.variable(for: path) }

    /// Returns the environment variable for a path: for `limits.perMinute`, `KEYWAY_LIMITS_PER_MINUTE`.
    static func variable(for path: String) -> String {
        let letters = Array(path)
        var name = "KEYWAY_"
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            let last = index > 0 ? letters[index - 1] : nil
            // A new word starts at an uppercase letter after a lowercase one, and at the last of several uppercase
            // letters (SPCAge). The plural of an acronym (URLs) does not start a new word.
            let isPlural = next == "s" && (index + 2 >= letters.count || !letters[index + 2].isLowercase)
            if letter.isUppercase, let last,
                last.isLowercase || last.isUppercase && next?.isLowercase == true && !isPlural
            {
                name += "_"
            }
            name += letter == "." ? "_" : letter.uppercased()
        }
        return name
    }
}

/// The value of a setting in effect, with its origin.
package struct EffectiveSetting: Sendable, Equatable {
    /// The path, such as `limits.threads` or `authorization.tokens[0].issuer`.
    package let path: String
    /// The value as the file would contain it; nil if the setting has no value.
    package let value: String?
    /// The origin of the value.
    package let origin: SettingOrigin
}
