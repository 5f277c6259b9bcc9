extension LintRule {
    /// Keys, and what may be played with them.
    static let contentProtectionRules: [LintRule] =
        keyRules + keySetRules + fairPlayRules + keyFormatRules + sessionKeyRules + hdcpRules + allowedCPCRules
}
