internal import ArgumentParser

/// `--json`, which every command takes.
struct OutputArguments: ParsableArguments {
    @Flag(
        name: .long, help: "Write the result as JSON; its members are described in README.md.")
    var json = false
}
