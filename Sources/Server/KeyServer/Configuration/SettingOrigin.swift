/// Where the value of a setting comes from.
package enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Nobody gave one.
    case standard
    /// A line of the configuration file, counted from 1.
    case file(String, line: Int)
    /// A variable of the environment.
    case environment(String)
    /// An option of the command line.
    case option(String)

    /// The origin for people: `default`, `file:line`, a variable's or an option's name.
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .environment(let name): "$\(name)"
        case .option(let name): name
        }
    }

    /// The file's line; what is not in the file comes after it.
    var line: Int {
        if case .file(_, let line) = self { line } else { .max }
    }
}

/// Something that is wrong with a configuration, or risky.
package struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where it stands.
    package let origin: SettingOrigin
    /// Which setting, such as `limits.threads`; empty when it is the file as a whole.
    package let path: String
    /// What is wrong, and what to do.
    package let reason: String

    /// Makes a problem.
    package init(origin: SettingOrigin, path: String, reason: String) {
        self.origin = origin
        self.path = path
        self.reason = reason
    }

    /// One line: where, which, what.
    package var description: String {
        [origin == .standard ? "" : origin.description, path, reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// All that is wrong with a configuration.
package struct ConfigurationErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// In the order of the settings; never empty.
    package let problems: [ConfigurationProblem]

    /// One line for each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A setting: what it is called and what it takes.
package struct SettingDescription: Sendable, Equatable {
    /// Such as `limits.threads`; `[]` stands for the number of an item.
    package let path: String
    /// What it takes, in words.
    package let takes: String
    /// The value without which it is; nil when it is then not there.
    package let standard: String?
    /// What it does, in a sentence.
    package let help: String
    /// What the example file has.
    let example: String
    let isList: Bool

    /// The variable that sets it; nil for what is in a list of sections.
    package var variable: String? { path.contains("[]") ? nil : Self.variable(for: path) }

    /// `limits.perMinute` is `KEYWAY_LIMITS_PER_MINUTE`.
    static func variable(for path: String) -> String {
        let letters = Array(path)
        var name = "KEYWAY_"
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            let last = index > 0 ? letters[index - 1] : nil
            // A new word begins at a capital after a small letter, and at the last capital of several: SPCAge. The
            // plural of several is no new word: URLs.
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

/// A setting and what is in force.
package struct SettingInForce: Sendable, Equatable {
    /// Such as `limits.threads` or `authorization.tokens[0].issuer`.
    package let path: String
    /// The value as the file would have it; nil when there is none.
    package let value: String?
    /// Where it comes from.
    package let origin: SettingOrigin
}
