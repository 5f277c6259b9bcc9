/// A rule that predicts which key follows a key.
///
/// | Prediction | After `skd://channel/41` |
/// |---|---|
/// | ``trailingNumber`` | `skd://channel/42`; digits keep their number, as in `009`, `010` |
/// | ``list(_:)`` | the next element of a list that the app received from its service |
/// | ``init(_:)`` | the result of the app's function |
public struct KeyPrediction: Sendable {
    private let rule: @Sendable (String) -> String?

    /// Creates a prediction from a function that returns the next key's identifier, or nil.
    public init(_ rule: @escaping @Sendable (String) -> String?) { self.rule = rule }

    /// Returns the next key's identifier; nil if it is unknown.
    public func next(after identifier: String) -> String? {
        let next = rule(identifier)
        return next == identifier ? nil : next
    }

    /// A prediction that increments the number at the end of the URI.
    public static let trailingNumber = KeyPrediction { identifier in
        let digits = identifier.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard (1...18).contains(digits), let number = Int(identifier.suffix(digits)) else { return nil }
        let text = String(number + 1)
        return identifier.dropLast(digits) + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Returns a prediction from a list of identifiers in order.
    public static func list(_ identifiers: [String]) -> KeyPrediction {
        let pairs = Dictionary(zip(identifiers, identifiers.dropFirst())) { first, _ in first }
        return KeyPrediction { pairs[$0] }
    }
}
