/// The programs that the setup page runs.
package struct SetupPrograms: Sendable {
    /// The exit status and the output of a program that has ended.
    package struct Ended: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        package init(status: Int32, output: String, errors: String) {
            (self.status, self.output, self.errors) = (status, output, errors)
        }
    }

    /// The path of the configuration that setup writes.
    package let config: String
    /// The folder of the daemon's store.
    package let store: String
    /// The path at which an uploaded logo is kept until it is copied.
    package let logo: String
    /// The folder of the uploaded certificates of issuers, which the daemon's user imports.
    package let trust: String
    /// Whether the software wallet is installed. A shop uses this wallet to try a check without a phone.
    package let hasWallet: Bool
    /// Whether the setup page may run the commands that setup prints as next steps: systemd is running,
    /// and the daemon's service reads this configuration.
    package let runsCommands: Bool
    /// Runs a program of the package, or `bash`, with this standard input.
    let run: @Sendable (_ words: [String], _ input: [UInt8]) async -> Ended

    package init(
        config: String, store: String, logo: String, trust: String, hasWallet: Bool, runsCommands: Bool,
        run: @escaping @Sendable (_ words: [String], _ input: [UInt8]) async -> Ended
    ) {
        self.config = config
        self.store = store
        self.logo = logo
        self.trust = trust
        self.hasWallet = hasWallet
        self.runsCommands = runsCommands
        self.run = run
    }

    /// Runs `countersign setup` with the answers of the page, and with further options.
    func setup(_ answers: [UInt8], _ further: [String]) async -> Ended {
        await run(
            ["countersign", "setup", "--answers", "-", "--json", "--config", config, "--store", store]
                + further, answers)
    }
}
