extension LintRule {
    /// The rules for keys, output protection and allowed devices.
    static let contentProtectionRules: [LintRule] =
        keyRules + keySetRules + keyUseRules + fairPlayRules + keyFormatRules + sessionKeyRules + hdcpRules
        + allowedCPCRules
}
