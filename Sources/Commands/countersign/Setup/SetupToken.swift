internal import CommandLineInterface
internal import JSON

/// A token as `countersignd token new` makes it.
struct SetupToken {
    let name: String
    /// The token itself, which is shown once.
    let text: String
    private let sha256: String
    private let scopes: [String]

    init(_ name: String, scopes: [String]) throws(CommandFailure) {
        let arguments = scopes.flatMap { ["--scope", $0] } + ["--name", name, "--json"]
        let (status, output) = try OwnProgram(name: "countersignd").run(["token", "new"] + arguments)
        guard status == 0 else { throw .unavailable("countersignd makes no token (status \(status))") }
        do throws(JSONFault) {
            let made = try JSONText(Array(output.utf8)[...]).members()
            text = try made.required("token").string()
            sha256 = try made.required("member").members().required("sha256").string()
        } catch {
            throw .malformed("countersignd's token: \(error.explanation)")
        }
        (self.name, self.scopes) = (name, scopes)
    }

    /// Its member of the configuration.
    var member: JSONValue {
        [
            "name": .string(name), "sha256": .string(sha256),
            "scopes": .array(scopes.map(JSONValue.string)),
        ]
    }
}
