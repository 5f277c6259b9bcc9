/// Which key comes after a key.
///
/// | Prediction | After `skd://channel/41` |
/// |---|---|
/// | ``trailingNumber`` | `skd://channel/42`; digits keep their number, as in `009`, `010` |
/// | ``list(_:)`` | what follows it in a list that the app has from its service |
/// | ``init(_:)`` | whatever it says |
public struct KeyPrediction: Sendable {
    private let rule: @Sendable (String) -> String?

    /// A prediction of one's own; nil where there is none.
    public init(_ rule: @escaping @Sendable (String) -> String?) { self.rule = rule }

    /// The next key's identifier; nil where it is not known.
    public func next(after identifier: String) -> String? {
        let next = rule(identifier)
        return next == identifier ? nil : next
    }

    /// The last part of the URI is a number that counts.
    public static let trailingNumber = KeyPrediction { identifier in
        let digits = identifier.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard (1...18).contains(digits), let number = Int(identifier.suffix(digits)) else { return nil }
        let text = String(number + 1)
        return identifier.dropLast(digits) + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The order is known.
    public static func list(_ identifiers: [String]) -> KeyPrediction {
        let pairs = Dictionary(zip(identifiers, identifiers.dropFirst())) { first, _ in first }
        return KeyPrediction { pairs[$0] }
    }
}
