/// The rule by which the values of a field are merged.
struct PolicyMerge<Value: Sendable>: Sendable {
    /// The merged value as text, with code in backticks, such as "the smallest".
    let text: String
    /// Returns the strictest of two values, or a value that is stricter than both. Nil: the field is missing; at most
    /// one of the values is nil. It must be commutative, associative and idempotent.
    let strictest: @Sendable (_ left: Value?, _ right: Value?, KSM.Configuration) -> Value?
    /// The strictness of a value as a number; nil if the rule does not order all values.
    var rank: (@Sendable (Value?, KSM.Configuration) -> Int)?
    /// Returns the value for a token that can loosen a policy, of which the token's value is not nil.
    var loosened: @Sendable (_ policy: Value?, _ token: Value) -> Value = { $1 }
}

extension PolicyMerge {
    /// Creates a rule that selects the value with the higher rank; of equal ranks, the value that is set explicitly.
    init(_ text: String, rank: @escaping @Sendable (Value?, KSM.Configuration) -> Int) {
        self.init(
            text: text,
            strictest: { left, right, configuration in
                let (leftRank, rightRank) = (rank(left, configuration), rank(right, configuration))
                return leftRank == rightRank ? left ?? right : leftRank > rightRank ? left : right
            },
            rank: rank
        )
    }

    /// Returns the rule with a limit on tokens that can loosen a policy.
    func loosened(_ rule: @escaping @Sendable (_ policy: Value?, _ token: Value) -> Value) -> Self {
        var merge = self
        merge.loosened = rule
        return merge
    }

    /// The elements that all lists have in common; a missing list allows everything. The intersection of a list with
    /// itself is its normal form.
    static func common<Element>(_ intersection: @escaping @Sendable (Value, Value) -> Value) -> Self
    where Value == [Element] {
        Self(
            text: "the intersection of the lists; if two lists have no element in common, no client receives the key",
            strictest: { left, right, _ in
                guard let one = left ?? right, let other = right ?? left else { return nil }
                return intersection(one, other)
            }
        )
    }
}

extension PolicyMerge where Value: Equatable {
    /// The strictest of a few values, listed from permissive to strict.
    ///
    /// - Parameter missing: The value that a missing field counts as, if the list does not contain nil.
    static func strictest(_ text: String, of values: [Value?], missing: Value? = nil) -> Self {
        Self(text) { value, _ in values.firstIndex(of: value ?? missing) ?? 0 }
    }
}

extension PolicyMerge<Seconds> {
    /// The shortest duration.
    ///
    /// - Parameter missing: The duration that a missing field counts as; nil means no limit.
    static func shortest(missing: @escaping @Sendable (KSM.Configuration) -> Seconds? = { _ in nil }) -> Self {
        Self("the smallest") { value, configuration in
            (value ?? missing(configuration)).map { -Int($0.rawValue) } ?? .min
        }
    }
}

extension PolicyMerge where Value: BinaryInteger {
    /// The smallest number; a missing field means no limit.
    static var smallest: Self { Self("the smallest") { value, _ in value.map { -Int($0) } ?? .min } }

    /// The highest number.
    static func highest(missing: @escaping @Sendable (KSM.Configuration) -> Value) -> Self {
        Self("the highest") { value, configuration in Int(value ?? missing(configuration)) }
    }
}

extension PolicyMerge<Bool> {
    /// A value that applies if one policy has it.
    static func one(_ strict: Bool) -> Self {
        strictest("`\(strict)` if one policy has that value", of: [!strict, strict], missing: !strict)
    }
}

extension PolicyMerge<LicensePolicy.Permission> {
    /// Denied if one policy denies; a missing field allows.
    static var deniedByOne: Self {
        strictest("`deny` if one policy denies; otherwise `allow`", of: [.allow, .deny], missing: .allow)
    }

    /// Allowed if all policies allow; a missing field denies.
    static var allowedByAll: Self {
        strictest(
            "`allow` if all policies allow; otherwise `deny`, also if the field is missing in one policy",
            of: [.allow, .deny],
            missing: .deny
        )
    }
}
