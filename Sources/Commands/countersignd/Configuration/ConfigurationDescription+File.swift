internal import ConfigurationForms
internal import JSON

extension ConfigurationDescription {
    /// The JSON Schema of the daemon's file (draft 7, which most editors support). `x-countersign` has the texts
    /// of the reference.
    var file: JSONValue {
        let members: [(String, JSONValue)] = [
            ("$schema", "http://json-schema.org/draft-07/schema#"),
            ("$id", "urn:countersign:schema:countersignd"), ("title", "countersignd.json"),
        ]
        return .object(members + schema)
    }
}
